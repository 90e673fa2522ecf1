import { bulk } from './bulk.ts'
import type { Database } from './database.ts'

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

const selectCallers = bulk<string, CallerRow>({
  text: keyHashes => `${CALLERS} and tokens.key_hash in (values ${keyHashes})`,
  alone: `${CALLERS} and tokens.key_hash = cast($1 as text)`,
  addCells: (keyHash, cells) => void cells.push(keyHash),
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
