import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** What models thought before their calls, for clients that do not send it back. */
export const thoughts: Migration = {
  name: '0033-thoughts',
  async up(db, engine) {
    const created = db.schema.createTable('thoughts')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('handle', 'text', c => c.notNull().primaryKey())
      .addColumn('user_id', 'bigint', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('thought_encrypted', 'text', c => c.notNull())
      .addColumn('bytes', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    await sql`create index thoughts_of_user on thoughts (user_id, expires_at, handle, bytes)`.execute(db)
    await db.schema.createIndex('thoughts_expires_at').on('thoughts').column('expires_at').execute()
  },
}
