import { TOKEN_STATUS } from '#contract/enums.ts'
import type { TokenChange } from '#contract/tokens.ts'
import { nowSeconds } from '../../core/clock.ts'
import { quota } from '../../core/money.ts'
import { findToken, type TokenRow, type TokenUpdate, updateToken } from '../../db/accounts/tokens.ts'
import { inTransaction } from '../../db/engine/database.ts'
import { setTokenLimit } from '../../ledger/adjust.ts'
import type { ApiContext } from '../context.ts'
import { checkGroup } from './create.ts'
import { tokenError } from './errors.ts'

const NEVER = -1

type TokenUpdateDeps = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId'>

/** Enables or disables a token. Throws when the token to enable is expired or exhausted. */
export function updateTokenStatus(
  { id, status }: TokenChange,
  { db, caller }: TokenUpdateDeps,
): Promise<TokenRow> {
  return inTransaction(db, async tx => {
    const token = await getOwnToken(tx, caller.id, id)
    if (status !== TOKEN_STATUS.enabled && status !== TOKEN_STATUS.disabled)
      throw tokenError('unknown_status')
    if (status === TOKEN_STATUS.enabled) requireUsable(token)
    await updateToken(tx, id, { status })
    return getOwnToken(tx, caller.id, id)
  })
}

/** Updates the fields that are present, except the status: enabling a token is a call of its own. */
export function updateTokenFields(
  change: TokenChange,
  { db, caller, settings, requestId }: TokenUpdateDeps,
): Promise<TokenRow> {
  return inTransaction(db, async tx => {
    const token = await getOwnToken(tx, caller.id, change.id)
    const { group = token.group, remain_quota: remain, remain_quota_seen: knownRemain } = change
    if (group !== token.group) checkGroup(group, settings.current().values, caller.group)
    await updateToken(tx, token.id, toTokenColumns(change))
    if (remain !== undefined && remain !== (knownRemain ?? token.remain_quota)) {
      if (remain < 0) throw tokenError('negative_quota')
      await setTokenLimit(tx, {
        tokenId: token.id,
        userId: caller.id,
        remain: quota(remain),
        ...(knownRemain !== undefined && { knownRemain }),
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
