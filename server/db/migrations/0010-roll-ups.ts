import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** How far each roll-up is complete. Days are written in parts, so the newest row no longer says it. */
export const rollUps: Migration = {
  name: '0010-roll-ups',
  async up(db, engine) {
    const created = db.schema.createTable('roll_ups')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('name', 'text', c => c.notNull().primaryKey())
      .addColumn('until', 'bigint', c => c.notNull())
      .execute()
    await sql`insert into roll_ups select 'usage_days', max(day) + 86400 from usage_days having max(day) is not null`.execute(
      db,
    )
  },
}
