import { type Selectable, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { type ConversationItemTable, type ConversationTable, withResponseTables } from '../tables.ts'

export type ConversationRow = Readonly<Selectable<ConversationTable>>
export type ConversationItemRow = Readonly<Selectable<ConversationItemTable>>

export async function insertConversation(db: Database, row: ConversationRow): Promise<void> {
  await withResponseTables(db).insertInto('conversations').values(row).execute()
}

/** Undefined when the user has no such conversation, whoever else may have it. */
export async function selectConversation(
  db: Database,
  { id, userId, nowSeconds }: { readonly id: string; readonly userId: number; readonly nowSeconds: number },
): Promise<ConversationRow | undefined> {
  return await withResponseTables(db)
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowSeconds)
    .executeTakeFirst()
}

export async function updateConversationRow(
  db: Database,
  id: string,
  change: Partial<Pick<ConversationRow, 'metadata_encrypted' | 'used_at' | 'expires_at'>>,
): Promise<void> {
  await withResponseTables(db).updateTable('conversations').set(change).where('id', '=', id).execute()
}

/** Deletes it with its items. Returns whether the user had it. */
export async function deleteConversationRow(db: Database, id: string, userId: number): Promise<boolean> {
  const { numDeletedRows } = await withResponseTables(db)
    .deleteFrom('conversations')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deleteConversationsOfUser(db: Database, userId: number): Promise<void> {
  await withResponseTables(db).deleteFrom('conversations').where('user_id', '=', userId).execute()
}

export async function insertConversationItems(
  db: Database,
  rows: readonly ConversationItemRow[],
): Promise<void> {
  if (rows.length > 0) await withResponseTables(db).insertInto('conversation_items').values(rows).execute()
}

/** The size of all items of a conversation. */
export async function sumConversationItems(
  db: Database,
  conversationId: string,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const { count, bytes } = await withResponseTables(db)
    .selectFrom('conversation_items')
    .select(({ fn }) => [
      fn.countAll().as('count'),
      sql<number | null>`sum(length(item_encrypted))`.as('bytes'),
    ])
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  return { count: Number(count), bytes: Number(bytes ?? 0) }
}

/** All items, the earliest first. */
export async function selectConversationItems(
  db: Database,
  conversationId: string,
): Promise<readonly ConversationItemRow[]> {
  return await withResponseTables(db)
    .selectFrom('conversation_items')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .orderBy('position')
    .execute()
}

/** Returns whether there was such an item. */
export async function deleteConversationItemRow(
  db: Database,
  conversationId: string,
  itemId: string,
): Promise<boolean> {
  const { numDeletedRows } = await withResponseTables(db)
    .deleteFrom('conversation_items')
    .where('conversation_id', '=', conversationId)
    .where('item_id', '=', itemId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Deletes the items whose positions begin with these letters and digits. */
export async function deleteConversationItemsAt(
  db: Database,
  conversationId: string,
  prefix: string,
): Promise<void> {
  await withResponseTables(db)
    .deleteFrom('conversation_items')
    .where('conversation_id', '=', conversationId)
    .where('position', 'like', `${prefix}%`)
    .execute()
}

/** Keeps the most recently used conversations of a user, up to a size. */
export async function trimConversations(db: Database, userId: number, bytesMax: number): Promise<void> {
  await sql`
    delete from conversations where user_id = ${userId} and id in (
      select id from (
        select id, sum(bytes) over (order by used_at desc, id desc) as bytes_up_to_here
        from (
          select id, used_at, (
            select coalesce(sum(length(item_encrypted)), 0) from conversation_items
            where conversation_id = conversations.id
          ) as bytes
          from conversations where user_id = ${userId}
        ) as sizes
      ) as sums where bytes_up_to_here > ${bytesMax}
    )`.execute(db)
}
