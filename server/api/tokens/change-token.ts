import type { TokenChange } from '#contract/tokens.ts'
import { nowSeconds } from '../../core/clock.ts'
import { quota } from '../../core/money.ts'
import { inTransaction } from '../../db/database.ts'
import { findToken, type TokenRow, type TokenUpdate, updateToken } from '../../db/tokens.ts'
import { setTokenLimit } from '../../ledger/adjust.ts'
import type { ApiContext } from '../context.ts'
import { checkGroup } from './check-group.ts'
import { refuse } from './refuse.ts'

const STATUS = { enabled: 1, disabled: 2 } as const
const NEVER = -1

type Context = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId'>

/** Enables or disables a token. An expired or exhausted one is not enabled before its cause is gone. */
export function changeStatus({ id, status }: TokenChange, { db, caller }: Context): Promise<TokenRow> {
  return inTransaction(db, async tx => {
    const token = await findOwn(tx, caller.id, id)
    if (status !== STATUS.enabled && status !== STATUS.disabled) throw refuse('unknown_status')
    if (status === STATUS.enabled) refuseUnusable(token)
    await updateToken(tx, id, { status })
    return findOwn(tx, caller.id, id)
  })
}

/** Changes what was sent, but never the status: a token that ran out is enabled by a call of its own. */
export function changeToken(
  change: TokenChange,
  { db, caller, settings, requestId }: Context,
): Promise<TokenRow> {
  return inTransaction(db, async tx => {
    const token = await findOwn(tx, caller.id, change.id)
    const { group = token.group, remain_quota: remain, remain_quota_seen: seen } = change
    if (group !== token.group) checkGroup(group, settings.current().values, caller.group)
    await updateToken(tx, token.id, columnsOf(change))
    if (remain !== undefined && remain !== (seen ?? token.remain_quota)) {
      if (remain < 0) throw refuse('negative_quota')
      await setTokenLimit(tx, {
        tokenId: token.id,
        userId: caller.id,
        remain: quota(remain),
        ...(seen !== undefined && { knownRemain }),
        actorId: caller.id,
        reason: 'token edited',
        requestId,
      })
    }
    return findOwn(tx, caller.id, change.id)
  })
}

async function findOwn(tx: ApiContext['db'], userId: number, id: number): Promise<TokenRow> {
  const token = await findToken(tx, userId, id)
  if (!token) throw refuse('unknown')
  return token
}

function refuseUnusable(token: TokenRow): void {
  if (token.expired_time !== NEVER && token.expired_time <= nowSeconds()) throw refuse('expired')
  if (token.remain_quota <= 0 && token.unlimited_quota === 0) throw refuse('exhausted')
}

const columnsOf = (change: TokenChange): TokenUpdate => ({
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
