import type { Migration } from '#server/db/migrations/migration.ts'

/** Calls of each channel by the quarter of an hour, with the last failure. */
export const channelAttempts: Migration = {
  name: '0039-channel-attempts',
  async up(db) {
    await db.schema
      .createTable('channel_attempts')
      .addColumn('channel_id', 'bigint', c => c.notNull())
      .addColumn('start', 'bigint', c => c.notNull())
      .addColumn('attempts', 'bigint', c => c.notNull())
      .addColumn('failed', 'bigint', c => c.notNull())
      .addColumn('error', 'text', c => c.notNull())
      .addColumn('error_at', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('channel_attempts_key', ['channel_id', 'start'])
      .execute()
  },
}
