import type { Insertable, Selectable } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { type TopUpTable, withTopUpTables } from './tables.ts'

export type TopUpRow = Selectable<TopUpTable>
export type NewTopUp = Omit<Insertable<TopUpTable>, 'id' | 'completed_at'>

interface TopUpPage {
  readonly offset: number
  readonly limit: number
}

export async function insertTopUp(tx: Database, order: NewTopUp): Promise<void> {
  await withTopUpTables(tx).insertInto('top_ups').values(order).execute()
}

/** Finds an order by its number and locks the row until the transaction ends. */
export function lockTopUp(tx: Database, tradeNo: string): Promise<TopUpRow | undefined> {
  return withTopUpTables(tx)
    .updateTable('top_ups')
    .set(row => ({ status: row.ref('status') }))
    .where('trade_no', '=', tradeNo)
    .returningAll()
    .executeTakeFirst()
}

export async function updateTopUp(
  tx: Database,
  id: number,
  update: Partial<Pick<TopUpRow, 'status' | 'completed_at' | 'timeline'>>,
): Promise<void> {
  await withTopUpTables(tx).updateTable('top_ups').set(update).where('id', '=', id).execute()
}

/** The orders of one user or of all users, newest first. */
export const listTopUps = (
  db: Database,
  userId: number | undefined,
  { offset, limit }: TopUpPage,
): Promise<TopUpRow[]> =>
  withTopUpTables(db)
    .selectFrom('top_ups')
    .selectAll()
    .$if(userId !== undefined, query => query.where('user_id', '=', userId ?? 0))
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

/** Unpaid orders that were created in this period (Unix seconds), oldest first. */
export async function listPendingTopUps(
  db: Database,
  { from, until, limit }: { readonly from: number; readonly until: number; readonly limit: number },
): Promise<Pick<TopUpRow, 'trade_no' | 'created_at'>[]> {
  return withTopUpTables(db)
    .selectFrom('top_ups')
    .select(['trade_no', 'created_at'])
    .where('status', '=', 'pending')
    .where('created_at', '>=', from)
    .where('created_at', '<', until)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

export async function countTopUps(db: Database, userId: number | undefined): Promise<number> {
  const { count } = await withTopUpTables(db)
    .selectFrom('top_ups')
    .select(select => select.fn.countAll<number>().as('count'))
    .$if(userId !== undefined, query => query.where('user_id', '=', userId ?? 0))
    .executeTakeFirstOrThrow()
  return Number(count)
}
