import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** The token that made stored state, and the size of conversations, which was counted anew for each request. */
export const stateOwners: Migration = {
  name: '0030-state-owners',
  async up(db) {
    for (const table of ['stored_responses', 'conversations', 'background_responses']) {
      await db.schema.alterTable(table).addColumn('token_id', 'bigint').execute()
      await db.schema
        .alterTable(table)
        .addColumn('is_private', 'integer', c => c.notNull().defaultTo(0))
        .execute()
    }
    for (const column of ['bytes', 'item_count'])
      await db.schema
        .alterTable('conversations')
        .addColumn(column, 'bigint', c => c.notNull().defaultTo(0))
        .execute()
    await sql`
      update conversations set
        item_count = (select count(*) from conversation_items where conversation_id = conversations.id),
        bytes = length(metadata_encrypted) + (
          select coalesce(sum(length(item_encrypted)), 0) from conversation_items
          where conversation_id = conversations.id
        )`.execute(db)
    await sql`create index conversations_of_user on conversations (user_id, used_at, id, bytes)`.execute(db)
    await db.schema
      .createIndex('conversation_items_item_id')
      .on('conversation_items')
      .columns(['conversation_id', 'item_id'])
      .execute()
  },
}
