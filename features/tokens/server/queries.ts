import { type RawBuilder, sql } from 'kysely'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import {
  currentStatus,
  matching,
  NEVER_EXPIRES,
  type OwnedTokens,
  type TokenFilter,
  type TokenRow,
  tokensOfUser,
} from '#server/db/accounts/tokens.ts'
import type { Database } from '#server/db/engine/database.ts'

export interface TokenPage {
  readonly sort: TokenSort
  readonly order: 'asc' | 'desc'
  readonly offset: number
  readonly limit: number
}

type TokenSort =
  | 'id'
  | 'name'
  | 'used_quota'
  | 'remain_quota'
  | 'created_time'
  | 'accessed_time'
  | 'expired_time'

/** The ids of matching tokens among these. */
export async function listTokenIds(
  db: Database,
  { userId, ids }: OwnedTokens,
  filter: TokenFilter,
): Promise<number[]> {
  const rows = await matching(db, userId, filter).select('id').where('id', 'in', ids).execute()
  return rows.map(row => row.id)
}

export const listTokens = (
  db: Database,
  userId: number,
  filter: TokenFilter,
  { sort, order, offset, limit }: TokenPage,
): Promise<TokenRow[]> =>
  matching(db, userId, filter)
    .selectAll()
    .select(currentStatus().as('status_now'))
    .orderBy(sortExpression(sort), order)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

/** Enables or disables tokens of this owner and returns their number. Expired and exhausted tokens are not enabled. */
export async function updateTokenStatuses(
  tx: Database,
  { userId, ids }: OwnedTokens,
  status: typeof TOKEN_STATUS.enabled | typeof TOKEN_STATUS.disabled,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('tokens')
    .set({ status })
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .$if(status === TOKEN_STATUS.enabled, update =>
      update
        .where(where =>
          where.or([where('expired_time', '=', NEVER_EXPIRES), where('expired_time', '>', nowSeconds())]),
        )
        .where(where => where.or([where('unlimited_quota', '=', 1), where('remain_quota', '>', 0)])),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Finds those of the tokens that belong to this owner and are not deleted. */
export const findTokens = (db: Database, userId: number, ids: readonly number[]): Promise<TokenRow[]> =>
  tokensOfUser(db, userId)
    .selectAll()
    .select(currentStatus().as('status_now'))
    .where('id', 'in', ids)
    .execute()

/** Sorts tokens that never expire after all others. */
const sortExpression = (sort: TokenSort): RawBuilder<unknown> =>
  sort === 'expired_time'
    ? sql`case when expired_time = ${sql.lit(NEVER_EXPIRES)} then ${sql.lit(Number.MAX_SAFE_INTEGER)} else expired_time end`
    : sql`${sort === 'name' ? sql`lower(name)` : sql.ref(sort)}`
