import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { nowSeconds } from '../../core/clock.ts'
import { bulkStatement } from '../engine/bulk.ts'
import type { Database } from '../engine/database.ts'
import type { TokenTable } from '../engine/tables.ts'
import { contains } from '../engine/text.ts'

export interface TokenRow extends Selectable<TokenTable> {
  /** What the clock and the spent quota have made of an enabled token, though nobody has used it since. */
  readonly status_now: number
}
export type NewToken = Omit<Insertable<TokenTable>, 'id' | 'remain_quota' | 'used_quota' | 'deleted_at'>
/** The limit itself changes only together with a posting. */
export type TokenUpdate = Partial<
  Pick<
    TokenRow,
    | 'name'
    | 'status'
    | 'expired_time'
    | 'unlimited_quota'
    | 'model_limits_enabled'
    | 'model_limits'
    | 'allow_ips'
    | 'group'
    | 'max_concurrency'
    | 'requests_per_minute'
  >
>

export type TokenSort =
  | 'id'
  | 'name'
  | 'used_quota'
  | 'remain_quota'
  | 'created_time'
  | 'accessed_time'
  | 'expired_time'

/** Everything is optional in effect: 0 and empty mean any. */
export interface TokenFilter {
  readonly status: number
  readonly group: string
  /** A part of the name. */
  readonly keyword: string
}

export interface TokenPage {
  readonly sort: TokenSort
  readonly order: 'asc' | 'desc'
  readonly offset: number
  readonly limit: number
}

const ENABLED = 1
const EXPIRED = 3
const EXHAUSTED = 4
const NEVER = -1

const statusNow = (): RawBuilder<number> =>
  sql<number>`case when status = ${sql.lit(ENABLED)} and expired_time <> ${sql.lit(NEVER)}
      and expired_time <= ${nowSeconds()} then ${sql.lit(EXPIRED)}
    when status = ${sql.lit(ENABLED)} and unlimited_quota = 0 and remain_quota <= 0 then ${sql.lit(EXHAUSTED)}
    else status end`

/** A token that never expires stands after all that do. */
const sortedBy = (sort: TokenSort): RawBuilder<unknown> =>
  sort === 'expired_time'
    ? sql`case when expired_time = ${sql.lit(NEVER)} then ${sql.lit(Number.MAX_SAFE_INTEGER)} else expired_time end`
    : sql`${sort === 'name' ? sql`lower(name)` : sql.ref(sort)}`

const living = (db: Database, userId: number) =>
  db.selectFrom('tokens').where('user_id', '=', userId).where('deleted_at', 'is', null)

const matching = (db: Database, userId: number, { status, group, keyword }: TokenFilter) =>
  living(db, userId).where(where =>
    where.and([
      ...(status === 0 ? [] : [where(statusNow(), '=', status)]),
      ...(group === '' ? [] : [where('group', '=', group)]),
      ...(keyword === '' ? [] : [contains(where.ref('name'), keyword)]),
    ]),
  )

export const listTokens = (
  db: Database,
  userId: number,
  filter: TokenFilter,
  { sort, order, offset, limit }: TokenPage,
): Promise<TokenRow[]> =>
  matching(db, userId, filter)
    .selectAll()
    .select(statusNow().as('status_now'))
    .orderBy(sortedBy(sort), order)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countTokens(db: Database, userId: number, filter = EVERY): Promise<number> {
  const { count } = await matching(db, userId, filter)
    .select(select => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

const EVERY: TokenFilter = { status: 0, group: '', keyword: '' }

/** A token of this owner that is not deleted. */
export const findToken = (db: Database, userId: number, id: number): Promise<TokenRow | undefined> =>
  living(db, userId).selectAll().select(statusNow().as('status_now')).where('id', '=', id).executeTakeFirst()

export async function insertToken(tx: Database, token: NewToken): Promise<number> {
  const { id } = await tx.insertInto('tokens').values(token).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateToken(tx: Database, id: number, change: TokenUpdate): Promise<void> {
  if (Object.keys(change).length === 0) return
  await tx.updateTable('tokens').set(change).where('id', '=', id).execute()
}

/** False when there was no such token, or it was deleted before. */
export async function deleteToken(
  tx: Database,
  userId: number,
  id: number,
  atSeconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tokens')
    .set({ deleted_at: atSeconds })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Everything about a token and its owner that decides whether a request may go on. */
export interface CallerRow {
  readonly key_hash: string
  readonly token_id: number
  readonly token_name: string
  readonly token_status: number
  readonly token_group: string
  readonly expired_time: number
  readonly remain_quota: number
  readonly unlimited_quota: 0 | 1
  readonly model_limits_enabled: 0 | 1
  readonly model_limits: string
  readonly allow_ips: string
  readonly max_concurrency: number
  readonly requests_per_minute: number
  readonly user_id: number
  readonly username: string
  readonly user_status: number
  readonly user_group: string
  readonly role: number
  readonly user_deleted_at: number | null
}

const CALLERS = `select tokens.key_hash, tokens.id as token_id, tokens.name as token_name,
      tokens.status as token_status, tokens."group" as token_group, tokens.expired_time, tokens.remain_quota,
      tokens.unlimited_quota, tokens.model_limits_enabled, tokens.model_limits, tokens.allow_ips,
      tokens.max_concurrency, tokens.requests_per_minute,
      users.id as user_id, users.username, users.status as user_status, users."group" as user_group, users.role,
      users.deleted_at as user_deleted_at
    from tokens join users on users.id = tokens.user_id where tokens.deleted_at is null`

const selectCallers = bulkStatement<string, CallerRow>({
  text: keyHashes => `${CALLERS} and tokens.key_hash in (values ${keyHashes})`,
  singleRowText: `${CALLERS} and tokens.key_hash = cast($1 as text)`,
  toCells: keyHash => [keyHash],
})

/** The tokens with these key hashes and their owners. Unknown and deleted tokens are missing. */
export async function findCallersByKeyHash(
  db: Database,
  keyHashes: readonly string[],
): Promise<ReadonlyMap<string, CallerRow>> {
  const rows = await selectCallers(db, keyHashes)
  return new Map(rows.map(row => [row.key_hash, row]))
}

/** Notes that a token has expired, so that lists show it. Only an enabled token changes. */
export async function markTokenExpired(db: Database, tokenId: number): Promise<void> {
  await enabledToken(db, tokenId).set({ status: 3 }).execute()
}

/** Notes that a token has run out. One whose last units are only reserved stays as it is: they may come back. */
export async function markTokenExhausted(db: Database, tokenId: number): Promise<void> {
  await enabledToken(db, tokenId)
    .set({ status: 4 })
    .where('remain_quota', '<=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('holds').select('request_id').where('token_id', '=', tokenId))),
    )
    .execute()
}

const enabledToken = (db: Database, tokenId: number) =>
  db.updateTable('tokens').where('id', '=', tokenId).where('status', '=', 1)

/** The keys that were sealed last, of a token and of a channel, as far as there are any. */
export async function newestSealed(db: Database): Promise<readonly string[]> {
  const newestOf = (table: 'tokens' | 'channels') =>
    db.selectFrom(table).select('key_sealed').where('key_sealed', '<>', '').orderBy('id', 'desc').limit(1)
  const found = await Promise.all([newestOf('tokens').execute(), newestOf('channels').execute()])
  return found.flat().map(({ key_sealed }) => key_sealed)
}
