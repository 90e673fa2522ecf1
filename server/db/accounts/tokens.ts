import { type ExpressionBuilder, type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Cells } from '#contract/entities/stored.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '../../core/clock.ts'
import { bulkStatement } from '../engine/bulk.ts'
import type { Database } from '../engine/database.ts'
import type { Tables, TokenTable } from '../engine/tables.ts'
import { contains } from '../engine/text.ts'

export interface TokenRow extends Selectable<TokenTable> {
  /** The status by the current time and quota: an enabled token may have expired or run out without being used since. */
  readonly status_now: number
}

export type NewToken = Omit<Insertable<TokenTable>, 'id' | 'remain_quota' | 'used_quota' | 'deleted_at'>

/** Without the limit, which changes only together with a posting. */
export type TokenUpdate = Partial<
  Omit<
    Selectable<TokenTable>,
    'id' | 'user_id' | 'key_hash' | 'key_sealed' | 'remain_quota' | 'used_quota' | 'deleted_at'
  >
>

/** 0 and empty strings match every token. */
export interface TokenFilter {
  readonly status: number
  readonly group: string
  /** Part of the name. */
  readonly keyword: string
}

/** `expired_time` of a token that does not expire. */
export const NEVER_EXPIRES = -1

/** Whose tokens: an account's, or of an organisation only those of a member who does not see all. */
export interface TokenOwner {
  readonly id: number
  readonly member?: { readonly id: number; readonly seesAll: boolean }
}

export async function countTokens(db: Database, owner: TokenOwner, filter = ALL_TOKENS): Promise<number> {
  const { count } = await matching(db, owner, filter)
    .select(select => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

const ALL_TOKENS: TokenFilter = { status: 0, group: '', keyword: '' }

/** Finds a token of this owner that is not deleted. */
export const findToken = (db: Database, owner: TokenOwner, id: number): Promise<TokenRow | undefined> =>
  tokensOwnedBy(db, owner)
    .selectAll()
    .select(currentStatus().as('status_now'))
    .where('id', '=', id)
    .executeTakeFirst()

/** The owner of a token that is not deleted. */
export const findTokenOwner = (
  db: Database,
  tokenId: number,
): Promise<{ user_id: number; role: number; member_id: number } | undefined> =>
  db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.user_id', 'tokens.member_id', 'users.role'])
    .where('tokens.id', '=', tokenId)
    .where('tokens.deleted_at', 'is', null)
    .executeTakeFirst()

export async function insertToken(tx: Database, token: NewToken): Promise<number> {
  const { id } = await tx.insertInto('tokens').values(token).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateToken(tx: Database, id: number, update: TokenUpdate): Promise<void> {
  if (Object.keys(update).length === 0) return
  await tx.updateTable('tokens').set(update).where('id', '=', id).execute()
}

export interface OwnedTokens {
  readonly owner: TokenOwner
  readonly ids: readonly number[]
}

/** Marks tokens of this owner as deleted. Returns the number of newly deleted tokens. */
export async function deleteTokens(
  tx: Database,
  { owner, ids }: OwnedTokens,
  atSeconds: number,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('tokens')
    .set({ deleted_at: atSeconds })
    .where(isOwnedBy(owner))
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

export const currentStatus = (): RawBuilder<number> =>
  sql<number>`case when tokens.status = ${sql.lit(TOKEN_STATUS.enabled)} and expired_time <> ${sql.lit(NEVER_EXPIRES)}
      and expired_time <= ${nowSeconds()} then ${sql.lit(TOKEN_STATUS.expired)}
    when tokens.status = ${sql.lit(TOKEN_STATUS.enabled)} and unlimited_quota = 0 and remain_quota <= 0 then ${sql.lit(TOKEN_STATUS.exhausted)}
    else tokens.status end`

/** Whether a token is one of this owner, and not deleted. */
export const isOwnedBy =
  ({ id, member }: TokenOwner) =>
  (where: ExpressionBuilder<Tables, 'tokens'>) =>
    where.and([
      where('user_id', '=', id),
      where('deleted_at', 'is', null),
      ...(member && !member.seesAll ? [where('member_id', '=', member.id)] : []),
    ])

export const tokensOwnedBy = (db: Database, owner: TokenOwner) =>
  db.selectFrom('tokens').where(isOwnedBy(owner))

export const matching = (db: Database, owner: TokenOwner, { status, group, keyword }: TokenFilter) =>
  tokensOwnedBy(db, owner).where(where =>
    where.and([
      ...(status === 0 ? [] : [where(currentStatus(), '=', status)]),
      ...(group === '' ? [] : [where('group', '=', group)]),
      ...(keyword === '' ? [] : [contains(where.ref('name'), keyword)]),
    ]),
  )

/** The columns of a token and its owner that decide whether a request is allowed: every field of the token is one. */
export interface CallerRow extends Cells<typeof TokenFields.shape> {
  readonly id: number
  readonly key_hash: string
  readonly status: number
  readonly remain_quota: number
  readonly used_quota: number
  readonly user_id: number
  readonly username: string
  readonly user_status: number
  readonly user_group: string
  readonly user_quota: number
  readonly user_role: number
  readonly user_deleted_at: number | null
  /** Of an organisation: whose budgets bound the token; 0: none. */
  readonly member_id: number
  readonly project_id: number
  /** The token that made this one, which bounds it. */
  readonly parent_id?: number
  /** Whether there are budgets of the user, or of one of the user's tokens. */
  readonly is_bounded: 0 | 1
}

const TOKEN_COLUMNS = TokenFields.keyof()
  .options.map(name => `tokens."${name}"`)
  .join(', ')

const CALLER_COLUMNS = `tokens.id, tokens.key_hash, tokens.status, tokens.remain_quota, tokens.used_quota, tokens.member_id, tokens.project_id, ${TOKEN_COLUMNS},
      users.id as user_id, users.username, users.status as user_status, users."group" as user_group, users.quota as user_quota,
      users.role as user_role, users.deleted_at as user_deleted_at,
      case when exists (select 1 from budgets where budgets.user_id = users.id) then 1 else 0 end as is_bounded`
const TOKENS_OF_USERS = 'from tokens join users on users.id = tokens.user_id where tokens.deleted_at is null'
const CALLERS = `select ${CALLER_COLUMNS} ${TOKENS_OF_USERS}`

/** Finds tokens and their owners by key hash. Unknown and deleted tokens are missing from the result. */
export async function findCallersByKeyHash(
  db: Database,
  keyHashes: readonly string[],
): Promise<ReadonlyMap<string, CallerRow>> {
  const rows = await selectCallers(db, keyHashes)
  return new Map(rows.map(row => [row.key_hash, row]))
}

/** The same by the ids of the tokens. */
export async function findCallersById(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, CallerRow>> {
  const rows = await selectCallersById(db, ids)
  return new Map(rows.map(row => [row.id, row]))
}

const selectCallersById = bulkStatement<number, CallerRow>({
  text: ids => `${CALLERS} and tokens.id in (values ${ids})`,
  addCells: (id, cells) => cells.push(id),
  cellType: 'bigint',
})

/** The same by a key hash that a token had before and that is still valid. */
export async function findCallersByFormerHash(
  db: Database,
  keyHashes: readonly string[],
): Promise<ReadonlyMap<string, CallerRow>> {
  const rows = await selectFormerCallers(db, keyHashes)
  const valid = rows.filter(row => row.former_key_until > nowSeconds())
  return new Map(valid.map(row => [row.former_key_hash, row]))
}

type FormerRow = CallerRow & { readonly former_key_hash: string; readonly former_key_until: number }
const selectFormerCallers = bulkStatement<string, FormerRow>({
  text: keyHashes => `select ${CALLER_COLUMNS}, tokens.former_key_hash, tokens.former_key_until
    ${TOKENS_OF_USERS} and tokens.former_key_hash in (values ${keyHashes})`,
  addCells: (keyHash, cells) => cells.push(keyHash),
})

const selectCallers = bulkStatement<string, CallerRow>({
  text: keyHashes => `${CALLERS} and tokens.key_hash in (values ${keyHashes})`,
  singleRowText: `${CALLERS} and tokens.key_hash = cast($1 as text)`,
  addCells: (keyHash, cells) => cells.push(keyHash),
})

/** Stores that an enabled token has expired, so that lists show it. */
export async function markTokenExpired(db: Database, tokenId: number): Promise<void> {
  await updateEnabledToken(db, tokenId).set({ status: TOKEN_STATUS.expired }).execute()
}

/** Stores that an enabled token has run out. A token with open holds is not changed: their units may be returned. */
export async function markTokenExhausted(db: Database, tokenId: number): Promise<void> {
  await updateEnabledToken(db, tokenId)
    .set({ status: TOKEN_STATUS.exhausted })
    .where('remain_quota', '<=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('holds').select('request_id').where('token_id', '=', tokenId))),
    )
    .execute()
}

const updateEnabledToken = (db: Database, tokenId: number) =>
  db.updateTable('tokens').where('id', '=', tokenId).where('status', '=', TOKEN_STATUS.enabled)

/** The encrypted key of the newest token that has one: enough to check the gateway's SECRET_KEY. */
export async function findNewestTokenKey(db: Database): Promise<string | undefined> {
  const row = await db
    .selectFrom('tokens')
    .select('key_sealed')
    .where('key_sealed', '<>', '')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.key_sealed
}
