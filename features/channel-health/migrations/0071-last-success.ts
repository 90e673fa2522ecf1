import type { Migration } from '#server/db/migrations/migration.ts'

/** When a call of the channel last succeeded within its quarter of an hour; 0: not. */
export const lastSuccess: Migration = {
  name: '0071-last-success',
  async up(db) {
    await db.schema
      .alterTable('channel_attempts')
      .addColumn('succeeded_at', 'bigint', c => c.notNull().defaultTo(0))
      .execute()
  },
}
