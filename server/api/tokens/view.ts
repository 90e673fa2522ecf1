import type { Token } from '#contract/tokens.ts'
import type { Secrets } from '../../core/crypto.ts'
import type { TokenRow } from '../../db/accounts/tokens.ts'
import { toIsoTime } from '../format.ts'

/** A token as its owner sees it, key included. */
export const toToken = (row: TokenRow, secrets: Secrets): Token => ({
  id: row.id,
  user_id: row.user_id,
  key: secrets.decrypt(row.key_sealed),
  status: row.status_now,
  name: row.name,
  created_time: row.created_time,
  accessed_time: row.accessed_time,
  expired_time: row.expired_time,
  remain_quota: row.remain_quota,
  unlimited_quota: row.unlimited_quota === 1,
  model_limits_enabled: row.model_limits_enabled === 1,
  model_limits: row.model_limits,
  allow_ips: row.allow_ips,
  used_quota: row.used_quota,
  group: row.group,
  max_concurrency: row.max_concurrency,
  requests_per_minute: row.requests_per_minute,
  DeletedAt: toIsoTime(row.deleted_at),
})

type ColumnsOf<Fields> = {
  [Name in keyof Fields]: Exclude<Fields[Name], undefined> extends boolean
    ? 0 | 1
    : Exclude<Fields[Name], undefined>
}

/**
 * The columns of the fields that are present. Columns bear the contract's names and booleans are stored as 0 and 1, so a
 * new field of a token needs no line here; the cast is safe because nothing else is converted.
 */
export function toTokenColumns<Fields extends object>(fields: Fields): ColumnsOf<Fields> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  const columns = present.map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value])
  return Object.fromEntries(columns) as ColumnsOf<Fields>
}
