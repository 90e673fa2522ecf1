import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** The days' sums without users and tokens: months of all traffic in a few thousand rows. */
export const gatewayDays: Migration = {
  name: '0009-gateway-days',
  async up(db, engine) {
    const created = db.schema.createTable('gateway_days')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('day', 'bigint', c => c.notNull())
      .addColumn('channel_id', 'bigint', c => c.notNull())
      .addColumn('model_name', 'text', c => c.notNull())
      .addColumn('group', 'text', c => c.notNull())
      .addColumn('type', 'bigint', c => c.notNull())
      .addColumn('count', 'bigint', c => c.notNull())
      .addColumn('quota', 'bigint', c => c.notNull())
      .addColumn('prompt_tokens', 'bigint', c => c.notNull())
      .addColumn('completion_tokens', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('gateway_days_key', ['day', 'channel_id', 'model_name', 'group', 'type'])
      .execute()
  },
}
