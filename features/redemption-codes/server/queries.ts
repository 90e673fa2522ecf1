import { type Insertable, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { RedemptionTable, Tables } from '#server/db/engine/tables.ts'

export type RedemptionRow = Selectable<RedemptionTable>
export type NewRedemption = Pick<
  Insertable<RedemptionTable>,
  'user_id' | 'key_hash' | 'key_sealed' | 'name' | 'quota' | 'created_time'
>

/** Selects codes. An empty keyword matches all. */
export interface RedemptionFilter {
  readonly keyword: string
  /** The hash of the keyword, to match a complete code. */
  readonly keyHash: string
  /** 0 matches all. */
  readonly status: number
}

export interface RedemptionTotals {
  readonly total: number
  readonly unusedCount: number
  readonly unusedQuota: number
}

interface RedemptionPage {
  readonly offset: number
  readonly limit: number
}

type RedemptionQuery<Output> = SelectQueryBuilder<Tables, 'redemptions', Output>

/** Newest first. */
export const listRedemptions = (
  db: Database,
  filter: RedemptionFilter,
  { offset, limit }: RedemptionPage,
): Promise<RedemptionRow[]> =>
  matching(db.selectFrom('redemptions').selectAll(), filter)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

/** The ids of the matching codes, at most `limit`; with `ids`, of those among them. */
export async function listRedemptionIds(
  db: Database,
  filter: RedemptionFilter,
  { limit, ids }: { readonly limit: number; readonly ids?: readonly number[] | undefined },
): Promise<number[]> {
  const found = db.selectFrom('redemptions').select('id').limit(limit)
  const rows = await matching(ids ? found.where('id', 'in', ids) : found, filter).execute()
  return rows.map(row => row.id)
}

/** Counts the matching codes, and the redeemable ones among them with the sum of their quota. */
export async function sumRedemptions(db: Database, filter: RedemptionFilter): Promise<RedemptionTotals> {
  const summed = db
    .selectFrom('redemptions')
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      fn.count<number>('id').filterWhere('status', '=', REDEMPTION_STATUS.unused).as('unused'),
      fn.sum<number | null>('quota').filterWhere('status', '=', REDEMPTION_STATUS.unused).as('worth'),
    ])
  const { total, unused, worth } = await matching(summed, filter).executeTakeFirstOrThrow()
  return { total: Number(total), unusedCount: Number(unused), unusedQuota: Number(worth ?? 0) }
}

function matching<Output>(
  query: RedemptionQuery<Output>,
  { keyword, keyHash, status }: RedemptionFilter,
): RedemptionQuery<Output> {
  const notDeleted = query
    .where('deleted_at', 'is', null)
    .$if(status !== 0, found => found.where('status', '=', status))
  if (keyword === '') return notDeleted
  const id = /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0
  return notDeleted.where(where =>
    where.or([
      where('id', '=', id),
      where('key_hash', '=', keyHash),
      where(sql`substr(name, 1, ${[...keyword].length})`, '=', keyword),
    ]),
  )
}

/** Finds a code that is not deleted. */
export function findRedemption(db: Database, id: number): Promise<RedemptionRow | undefined> {
  return db
    .selectFrom('redemptions')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function hasRedemption(db: Database, keyHash: string): Promise<boolean> {
  const row = await db
    .selectFrom('redemptions')
    .select('id')
    .where('key_hash', '=', keyHash)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertRedemptions(tx: Database, rows: readonly NewRedemption[]): Promise<void> {
  await tx.insertInto('redemptions').values(rows).execute()
}

/** Marks an unused code as used by this user. Undefined when it does not exist or was used: only one claim succeeds. */
export function claimRedemption(
  tx: Database,
  keyHash: string,
  claim: { readonly userId: number; readonly atSeconds: number },
): Promise<RedemptionRow | undefined> {
  return tx
    .updateTable('redemptions')
    .set({ status: REDEMPTION_STATUS.used, used_user_id: claim.userId, redeemed_time: claim.atSeconds })
    .where('key_hash', '=', keyHash)
    .where('status', '=', REDEMPTION_STATUS.unused)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Updates an unused code; undefined for all others. */
export function updateUnusedRedemption(
  tx: Database,
  id: number,
  update: { readonly name: string; readonly quota: number },
): Promise<RedemptionRow | undefined> {
  return tx
    .updateTable('redemptions')
    .set(update)
    .where('id', '=', id)
    .where('status', '=', REDEMPTION_STATUS.unused)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Enables or disables a code; undefined when the code was used. */
export function updateRedemptionStatus(
  tx: Database,
  id: number,
  status: typeof REDEMPTION_STATUS.unused | typeof REDEMPTION_STATUS.disabled,
): Promise<RedemptionRow | undefined> {
  return tx
    .updateTable('redemptions')
    .set({ status })
    .where('id', '=', id)
    .where('status', 'in', [REDEMPTION_STATUS.unused, REDEMPTION_STATUS.disabled])
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Like `updateRedemptionStatus`, for several codes. Returns the number of changed codes. */
export async function updateRedemptionStatuses(
  tx: Database,
  ids: readonly number[],
  status: typeof REDEMPTION_STATUS.unused | typeof REDEMPTION_STATUS.disabled,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('redemptions')
    .set({ status })
    .where('id', 'in', ids)
    .where('status', 'in', [REDEMPTION_STATUS.unused, REDEMPTION_STATUS.disabled])
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Marks codes as deleted. Returns the number of newly deleted codes. */
export async function deleteRedemptions(
  tx: Database,
  ids: readonly number[],
  atSeconds: number,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('redemptions')
    .set({ deleted_at: atSeconds })
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
