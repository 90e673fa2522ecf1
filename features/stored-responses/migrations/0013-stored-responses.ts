import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Responses that clients refer to later. The same model may be served by vendors that store nothing. */
export const storedResponses: Migration = {
  name: '0013-stored-responses',
  async up(db, engine) {
    const created = db.schema.createTable('stored_responses')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('id', 'text', c => c.notNull().primaryKey())
      .addColumn('user_id', 'bigint', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('previous_id', 'text')
      .addColumn('input_encrypted', 'text', c => c.notNull())
      .addColumn('response_encrypted', 'text')
      .addColumn('bytes', 'bigint', c => c.notNull())
      .addColumn('used_at', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    await sql`create index stored_responses_user_id on stored_responses (user_id, used_at, id, bytes)`.execute(
      db,
    )
    await db.schema
      .createIndex('stored_responses_expires_at')
      .on('stored_responses')
      .column('expires_at')
      .execute()
  },
}
