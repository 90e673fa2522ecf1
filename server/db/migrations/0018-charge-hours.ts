import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * The charges of each user by hour, and an index of all other postings of wallets: an account statement reads neither the
 * postings of requests nor the log, whose rows may have been deleted.
 */
export const chargeHours: Migration = {
  name: '0018-charge-hours',
  async up(db, engine) {
    const created = db.schema.createTable('charge_hours')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('user_id', 'bigint', c => c.notNull())
      .addColumn('hour', 'bigint', c => c.notNull())
      .addColumn('amount', 'bigint', c => c.notNull())
      .addColumn('count', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('charge_hours_key', ['user_id', 'hour'])
      .execute()
    await sql`insert into charge_hours (user_id, hour, amount, count)
      select user_id, created_at - created_at % 3600, sum(amount), count(*) from postings
      where kind = 'charge' group by 1, 2`.execute(db)
    await sql`create index postings_adjustments on postings (user_id, created_at, id)
      where kind not in ('hold', 'extension', 'overrun', 'charge', 'rest', 'release')`.execute(db)
  },
}
