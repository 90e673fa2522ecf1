import { type Selectable, sql } from 'kysely'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { StateOwner } from '../state-owner.ts'
import {
  type ConversationItemTable,
  type ConversationTable,
  isVisibleTo,
  withResponseTables,
} from '../tables.ts'

export type ConversationRow = Readonly<Selectable<ConversationTable>>
export type ConversationItemRow = Readonly<Selectable<ConversationItemTable>>

export async function insertConversation(db: Database, row: ConversationRow): Promise<void> {
  await withResponseTables(db).insertInto('conversations').values(row).execute()
}

/** Undefined when the owner has no such conversation, whoever else may have it. */
export async function selectConversation(
  db: Database,
  { id, owner, nowSeconds }: { readonly id: string; readonly owner: StateOwner; readonly nowSeconds: number },
): Promise<ConversationRow | undefined> {
  return await withResponseTables(db)
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', id)
    .where(isVisibleTo(owner))
    .where('expires_at', '>', nowSeconds)
    .executeTakeFirst()
}

type ChangedColumns = Partial<Pick<ConversationRow, 'metadata_encrypted' | 'used_at' | 'expires_at'>>

/** `bytes`: by how much the conversation grows. */
export async function updateConversationRow(
  db: Database,
  id: string,
  { bytes, ...change }: ChangedColumns & { readonly bytes: number },
): Promise<void> {
  await withResponseTables(db)
    .updateTable('conversations')
    .set({ ...change, bytes: sql`bytes + ${bytes}` })
    .where('id', '=', id)
    .execute()
}

/** Deletes it with its items. Returns whether the owner had it. */
export async function deleteConversationRow(db: Database, id: string, owner: StateOwner): Promise<boolean> {
  const { numDeletedRows } = await withResponseTables(db)
    .deleteFrom('conversations')
    .where('id', '=', id)
    .where(isVisibleTo(owner))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deleteConversationsOfUser(db: Database, userId: number): Promise<void> {
  await withResponseTables(db).deleteFrom('conversations').where('user_id', '=', userId).execute()
}

/** The size of a conversation. */
export interface ConversationSize {
  readonly bytes: number
  readonly items: number
}

export const sizeOf = (rows: readonly Pick<ConversationItemRow, 'item_encrypted'>[]): ConversationSize => ({
  bytes: rows.reduce((sum, { item_encrypted: text }) => sum + text.length, 0),
  items: rows.length,
})

/** Adds items and their size. False, and without effect, when the conversation would be larger than `max` or is gone. */
export function insertConversationItems(
  db: Database,
  {
    id,
    rows,
    max,
  }: { readonly id: string; readonly rows: readonly ConversationItemRow[]; readonly max: ConversationSize },
): Promise<boolean> {
  const { bytes, items } = sizeOf(rows)
  return inTransaction(db, async tx => {
    const { numUpdatedRows } = await withResponseTables(tx)
      .updateTable('conversations')
      .set({ bytes: sql`bytes + ${bytes}`, item_count: sql`item_count + ${items}` })
      .where('id', '=', id)
      .where('bytes', '<=', max.bytes - bytes)
      .where('item_count', '<=', max.items - items)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    if (rows.length > 0) await withResponseTables(tx).insertInto('conversation_items').values(rows).execute()
    return true
  })
}

/** Where a page of items begins and ends. */
export interface ItemRange {
  readonly conversationId: string
  /** The position of the last item before the page. */
  readonly after?: string | undefined
  readonly isAscending: boolean
  readonly limit: number
}

export async function selectConversationItems(
  db: Database,
  { conversationId, after, isAscending, limit }: ItemRange,
): Promise<readonly ConversationItemRow[]> {
  const items = withResponseTables(db)
    .selectFrom('conversation_items')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .orderBy('position', isAscending ? 'asc' : 'desc')
    .limit(limit)
  return await (after === undefined
    ? items
    : items.where('position', isAscending ? '>' : '<', after)
  ).execute()
}

/** The earliest item with an id, since clients choose ids. */
export async function selectConversationItem(
  db: Database,
  conversationId: string,
  itemId: string,
): Promise<ConversationItemRow | undefined> {
  return await withResponseTables(db)
    .selectFrom('conversation_items')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('item_id', '=', itemId)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
}

/** Returns whether there was such an item. */
export const deleteConversationItemRow = (
  db: Database,
  conversationId: string,
  itemId: string,
): Promise<boolean> =>
  deleteItems(
    db,
    conversationId,
    // Finds the position by its index: SQLite would read the texts of all items.
    sql`position in (select position from conversation_items where conversation_id = ${conversationId} and item_id = ${itemId})`,
  )

/** Deletes the items whose positions begin with these letters and digits. */
export const deleteConversationItemsAt = (
  db: Database,
  conversationId: string,
  prefix: string,
): Promise<boolean> => deleteItems(db, conversationId, sql`position like ${`${prefix}%`}`)

/** Deletes items with their size. */
function deleteItems(
  db: Database,
  conversationId: string,
  which: ReturnType<typeof sql<boolean>>,
): Promise<boolean> {
  return inTransaction(db, async tx => {
    const rows = await withResponseTables(tx)
      .deleteFrom('conversation_items')
      .where('conversation_id', '=', conversationId)
      .where(which)
      .returning(sql<number>`length(item_encrypted)`.as('bytes'))
      .execute()
    const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0)
    await withResponseTables(tx)
      .updateTable('conversations')
      .set({ bytes: sql`bytes - ${bytes}`, item_count: sql`item_count - ${rows.length}` })
      .where('id', '=', conversationId)
      .execute()
    return rows.length > 0
  })
}
