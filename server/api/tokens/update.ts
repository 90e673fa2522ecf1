import type { TokenChange } from '#contract/tokens.ts'
import { nowSeconds } from '../../core/clock.ts'
import { quota } from '../../core/money.ts'
import { findToken, type TokenRow, type TokenUpdate, updateToken } from '../../db/accounts/tokens.ts'
import { inTransaction } from '../../db/engine/database.ts'
import { setTokenLimit } from '../../ledger/adjust.ts'
import type { ApiContext } from '../context.ts'
import { checkGroup } from './create.ts'
import { tokenError } from './errors.ts'

const STATUS = { enabled: 1, disabled: 2 } as const
const NEVER = -1

type TokenUpdateDeps = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId'>

/** Enables or disables a token. An expired or exhausted one is not enabled before its cause is gone. */
export function updateTokenStatus(
  { id, status }: TokenChange,
  { db, caller }: TokenUpdateDeps,
): Promise<TokenRow> {
  return inTransaction(db, async tx => {
    const token = await getOwnToken(tx, caller.id, id)
    if (status !== STATUS.enabled && status !== STATUS.disabled) throw tokenError('unknown_status')
    if (status === STATUS.enabled) requireUsable(token)
    await updateToken(tx, id, { status })
    return getOwnToken(tx, caller.id, id)
  })
}

/** Changes what was sent, but never the status: a token that ran out is enabled by a call of its own. */
export function updateTokenFields(
  change: TokenChange,
  { db, caller, settings, requestId }: TokenUpdateDeps,
): Promise<TokenRow> {
  return inTransaction(db, async tx => {
    const token = await getOwnToken(tx, caller.id, change.id)
    const { group = token.group, remain_quota: remain, remain_quota_seen: seen } = change
    if (group !== token.group) checkGroup(group, settings.current().values, caller.group)
    await updateToken(tx, token.id, toTokenColumns(change))
    if (remain !== undefined && remain !== (seen ?? token.remain_quota)) {
      if (remain < 0) throw tokenError('negative_quota')
      await setTokenLimit(tx, {
        tokenId: token.id,
        userId: caller.id,
        remain: quota(remain),
        ...(seen !== undefined && { knownRemain: seen }),
        actorId: caller.id,
        reason: 'token edited',
        requestId,
      })
    }
    return getOwnToken(tx, caller.id, change.id)
  })
}

async function getOwnToken(tx: ApiContext['db'], userId: number, id: number): Promise<TokenRow> {
  const token = await findToken(tx, userId, id)
  if (!token) throw tokenError('unknown')
  return token
}

function requireUsable(token: TokenRow): void {
  if (token.expired_time !== NEVER && token.expired_time <= nowSeconds()) throw tokenError('expired')
  if (token.remain_quota <= 0 && token.unlimited_quota === 0) throw tokenError('exhausted')
}

const toTokenColumns = (change: TokenChange): TokenUpdate => ({
  ...(change.name !== undefined && { name: change.name }),
  ...(change.expired_time !== undefined && { expired_time: change.expired_time }),
  ...(change.unlimited_quota !== undefined && { unlimited_quota: change.unlimited_quota ? 1 : 0 }),
  ...(change.model_limits_enabled !== undefined && {
    model_limits_enabled: change.model_limits_enabled ? 1 : 0,
  }),
  ...(change.model_limits !== undefined && { model_limits: change.model_limits }),
  ...(change.allow_ips !== undefined && { allow_ips: change.allow_ips }),
  ...(change.group !== undefined && { group: change.group }),
  ...(change.max_concurrency !== undefined && { max_concurrency: change.max_concurrency }),
  ...(change.requests_per_minute !== undefined && { requests_per_minute: change.requests_per_minute }),
})
