import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Conversations to which clients and responses add items. */
export const conversations: Migration = {
  name: '0014-conversations',
  async up(db, engine) {
    const conversationTable = db.schema.createTable('conversations')
    await (engine === 'sqlite' ? conversationTable.modifyEnd(sql`without rowid`) : conversationTable)
      .addColumn('id', 'text', c => c.notNull().primaryKey())
      .addColumn('user_id', 'bigint', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('metadata_encrypted', 'text', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('used_at', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    for (const column of ['user_id', 'expires_at'])
      await db.schema.createIndex(`conversations_${column}`).on('conversations').column(column).execute()
    const itemTable = db.schema.createTable('conversation_items')
    await (engine === 'sqlite' ? itemTable.modifyEnd(sql`without rowid`) : itemTable)
      .addColumn('conversation_id', 'text', c =>
        c.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('position', 'text', c => c.notNull())
      .addColumn('item_id', 'text', c => c.notNull())
      .addColumn('item_encrypted', 'text', c => c.notNull())
      .addPrimaryKeyConstraint('conversation_items_key', ['conversation_id', 'position'])
      .execute()
  },
}
