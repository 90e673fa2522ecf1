import { type RawBuilder, sql } from 'kysely'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import {
  currentStatus,
  isOwnedBy,
  matching,
  NEVER_EXPIRES,
  type OwnedTokens,
  type TokenFilter,
  type TokenOwner,
  type TokenRow,
  tokensOwnedBy,
} from '#server/db/accounts/tokens.ts'
import type { Database } from '#server/db/engine/database.ts'
import { contains } from '#server/db/engine/text.ts'

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
  { owner, ids }: OwnedTokens,
  filter: TokenFilter,
): Promise<number[]> {
  const rows = await matching(db, owner, filter).select('id').where('id', 'in', ids).execute()
  return rows.map(row => row.id)
}

export const listTokens = (
  db: Database,
  owner: TokenOwner,
  filter: TokenFilter,
  { sort, order, offset, limit }: TokenPage,
): Promise<TokenRow[]> =>
  matching(db, owner, filter)
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
  { owner, ids }: OwnedTokens,
  status: typeof TOKEN_STATUS.enabled | typeof TOKEN_STATUS.disabled,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('tokens')
    .set({ status })
    .where(isOwnedBy(owner))
    .where('id', 'in', ids)
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
export const findTokens = (db: Database, owner: TokenOwner, ids: readonly number[]): Promise<TokenRow[]> =>
  tokensOwnedBy(db, owner)
    .selectAll()
    .select(currentStatus().as('status_now'))
    .where('id', 'in', ids)
    .execute()

/** Stores a new key of a token unless another call has replaced it. The one before stays valid until a time, and no other one. */
export const replaceKey = (
  tx: Database,
  { id, key_hash }: Pick<TokenRow, 'id' | 'key_hash'>,
  columns: Pick<TokenRow, 'key_hash' | 'key_sealed'>,
  validUntil: number,
) =>
  tx
    .updateTable('tokens')
    .set({ ...columns, former_key_hash: key_hash, former_key_until: validUntil })
    .where('id', '=', id)
    .where('key_hash', '=', key_hash)
    .execute()

/** A token with what decides who may see it. */
export interface AdministeredRow extends TokenRow {
  readonly username: string
  readonly role: number
  readonly owner_status: number
}

interface AllTokensFilter {
  /** Tokens of users with a role below this one, and those of `ownId`. */
  readonly belowRole: number
  readonly ownId: number
  /** Part of the name of the token or of its owner, or the id of the owner; empty: any. */
  readonly keyword: string
  /** 0: any. */
  readonly status: number
}

const administered = (db: Database) =>
  db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .where('tokens.deleted_at', 'is', null)

const matchingAll = (db: Database, { belowRole, ownId, keyword, status }: AllTokensFilter) =>
  administered(db)
    .where(where => where.or([where('users.role', '<', belowRole), where('users.id', '=', ownId)]))
    .$if(status !== 0, found => found.where(currentStatus(), '=', status))
    .$if(keyword !== '', found =>
      found.where(where =>
        where.or([
          contains(where.ref('tokens.name'), keyword),
          contains(where.ref('users.username'), keyword),
          ...(/^\d{1,15}$/.test(keyword) ? [where('users.id', '=', Number(keyword))] : []),
        ]),
      ),
    )

const selectAdministered = <Query extends ReturnType<typeof administered>>(query: Query) =>
  query
    .selectAll('tokens')
    .select(['users.username', 'users.role', 'users.status as owner_status'])
    .select(currentStatus().as('status_now'))

/** Newest first. */
export const listAllTokens = (
  db: Database,
  filter: AllTokensFilter,
  { offset, limit }: Pick<TokenPage, 'offset' | 'limit'>,
): Promise<AdministeredRow[]> =>
  selectAdministered(matchingAll(db, filter))
    .orderBy('tokens.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countAllTokens(db: Database, filter: AllTokensFilter): Promise<number> {
  const { count } = await matchingAll(db, filter)
    .select(select => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findAdministeredToken = (db: Database, id: number): Promise<AdministeredRow | undefined> =>
  selectAdministered(administered(db)).where('tokens.id', '=', id).executeTakeFirst()

/** Sorts tokens that never expire after all others. */
const sortExpression = (sort: TokenSort): RawBuilder<unknown> =>
  sort === 'expired_time'
    ? sql`case when expired_time = ${sql.lit(NEVER_EXPIRES)} then ${sql.lit(Number.MAX_SAFE_INTEGER)} else expired_time end`
    : sql`${sort === 'name' ? sql`lower(name)` : sql.ref(sort)}`
