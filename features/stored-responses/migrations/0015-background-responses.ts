import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Responses that run on without their clients, and their events. */
export const backgroundResponses: Migration = {
  name: '0015-background-responses',
  async up(db, engine) {
    const responseTable = db.schema.createTable('background_responses')
    await (engine === 'sqlite' ? responseTable.modifyEnd(sql`without rowid`) : responseTable)
      .addColumn('id', 'text', c => c.notNull().primaryKey())
      .addColumn('user_id', 'bigint', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('response_encrypted', 'text', c => c.notNull())
      .addColumn('status', 'text', c => c.notNull())
      .addColumn('is_cancelled', 'integer', c => c.notNull().defaultTo(0))
      .addColumn('alive_at', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    for (const column of ['user_id', 'expires_at'])
      await db.schema
        .createIndex(`background_responses_${column}`)
        .on('background_responses')
        .column(column)
        .execute()
    const eventTable = db.schema.createTable('background_events')
    await (engine === 'sqlite' ? eventTable.modifyEnd(sql`without rowid`) : eventTable)
      .addColumn('response_id', 'text', c =>
        c.notNull().references('background_responses.id').onDelete('cascade'),
      )
      .addColumn('last_number', 'bigint', c => c.notNull())
      .addColumn('events_encrypted', 'text', c => c.notNull())
      .addPrimaryKeyConstraint('background_events_key', ['response_id', 'last_number'])
      .execute()
  },
}
