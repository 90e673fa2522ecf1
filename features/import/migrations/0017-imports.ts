import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** What came from other gateways: which row became which, and the usage in their logs. */
export const imports: Migration = {
  name: '0017-imports',
  async up(db, engine) {
    const rows = db.schema.createTable('import_rows')
    await (engine === 'sqlite' ? rows.modifyEnd(sql`without rowid`) : rows)
      .addColumn('source', 'text', c => c.notNull())
      .addColumn('kind', 'text', c => c.notNull())
      .addColumn('source_id', 'text', c => c.notNull())
      .addColumn('id', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('import_rows_key', ['source', 'kind', 'source_id'])
      .execute()
    const usage = db.schema.createTable('import_usage')
    await (engine === 'sqlite' ? usage.modifyEnd(sql`without rowid`) : usage)
      .addColumn('user_id', 'bigint', c => c.notNull().primaryKey())
      .addColumn('quota', 'bigint', c => c.notNull())
      .addColumn('requests', 'bigint', c => c.notNull())
      .execute()
  },
}
