import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** The hours' sums again by day, for the days that are over: what reads months goes through a twentieth of the rows. */
export const usageDays: Migration = {
  name: '0006-usage-days',
  async up(db, engine) {
    const created = db.schema.createTable('usage_days')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('day', 'bigint', c => c.notNull())
      .addColumn('user_id', 'bigint', c => c.notNull())
      .addColumn('token_id', 'bigint', c => c.notNull())
      .addColumn('channel_id', 'bigint', c => c.notNull())
      .addColumn('model_name', 'text', c => c.notNull())
      .addColumn('group', 'text', c => c.notNull())
      .addColumn('type', 'bigint', c => c.notNull())
      .addColumn('count', 'bigint', c => c.notNull())
      .addColumn('quota', 'bigint', c => c.notNull())
      .addColumn('prompt_tokens', 'bigint', c => c.notNull())
      .addColumn('completion_tokens', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('usage_days_key', [
        'day',
        'user_id',
        'token_id',
        'channel_id',
        'model_name',
        'group',
        'type',
      ])
      .execute()
    await db.schema.createIndex('usage_days_user').on('usage_days').columns(['user_id', 'day']).execute()
  },
}
