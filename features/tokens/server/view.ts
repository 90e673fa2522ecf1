import { fromCells } from '#contract/entities/stored.ts'
import type { Token } from '#contract/entities/token.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import type { ApiContext } from '#server/api/context.ts'
import { toIsoTime } from '#server/api/format.ts'
import { isSignInRecent } from '#server/api/recent-sign-in.ts'
import { readTokenKey, type Secrets } from '#server/core/crypto.ts'
import type { TokenRow } from '#server/db/accounts/tokens.ts'

const VISIBLE_LENGTH = 4

/** A token that has just been created: its key is shown to whoever created it. */
export const toNewToken = (row: TokenRow, secrets: Secrets): Token => withKey(row, readKey(row, secrets))

/** A token as its owner sees it. The key is masked in the hands of a stolen session or access token. */
export function toToken(row: TokenRow, { secrets, session }: Pick<ApiContext, 'secrets' | 'session'>): Token {
  return isSignInRecent(session) ? toNewToken(row, secrets) : toMaskedToken(row, secrets)
}

/** A token as others see it. */
export const toMaskedToken = (row: TokenRow, secrets: Secrets): Token =>
  withKey(row, keyEnds(readKey(row, secrets)).join(MASK))

/** Empty for an imported token of whose key only the SHA-256 is known. */
export const readKey = (row: TokenRow, secrets: Secrets): string =>
  readTokenKey(secrets, row.key_sealed).text ?? ''

/** Enough of a key to recognise it. */
export const keyEnds = (key: string): readonly [head: string, tail: string] => [
  key.slice(0, VISIBLE_LENGTH),
  key.slice(-VISIBLE_LENGTH),
]

const withKey = (row: TokenRow, key: string): Token => ({
  ...fromCells(TokenFields, row),
  id: row.id,
  user_id: row.user_id,
  key,
  status: row.status_now,
  created_time: row.created_time,
  accessed_time: row.accessed_time,
  remain_quota: row.remain_quota,
  used_quota: row.used_quota,
  DeletedAt: toIsoTime(row.deleted_at),
})

const MASK = '*'.repeat(10)
