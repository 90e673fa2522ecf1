import { toCells } from '#contract/entities/stored.ts'
import type { TokenChange } from '#contract/entities/token.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { checkGroup } from '#server/accounts/create-token.ts'
import { tokenError } from '#server/accounts/tokens/errors.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { quota } from '#server/core/money.ts'
import { findToken, type TokenOwner, type TokenRow, updateToken } from '#server/db/accounts/tokens.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { setTokenLimit } from '#server/ledger/adjust.ts'

const NEVER = -1

type TokenUpdateDeps = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId'>

/** Enables or disables a token. Throws when the token to enable is expired or exhausted. */
export function updateTokenStatus(
  { id, status }: TokenChange,
  { db, caller }: TokenUpdateDeps,
): Promise<TokenRow> {
  return inTransaction(db, async tx => {
    const token = await getOwnToken(tx, caller, id)
    if (status !== TOKEN_STATUS.enabled && status !== TOKEN_STATUS.disabled)
      throw tokenError('unknown_status')
    if (status === TOKEN_STATUS.enabled) checkUsable(token)
    await updateToken(tx, id, { status })
    return getOwnToken(tx, caller, id)
  })
}

/** Updates the fields that are present, except the status: enabling a token is a call of its own. */
export function updateTokenFields(
  change: TokenChange,
  { db, caller, settings, requestId }: TokenUpdateDeps,
): Promise<TokenRow> {
  return inTransaction(db, async tx => {
    const token = await getOwnToken(tx, caller, change.id)
    const { id, group = token.group, remain_quota: remain, remain_quota_seen: knownRemain } = change
    if (group !== token.group) checkGroup(group, settings.current().values, caller.group)
    await updateToken(tx, id, toCells(TokenFields, change))
    if (remain !== undefined && remain !== (knownRemain ?? token.remain_quota)) {
      if (remain < 0) throw tokenError('negative_quota')
      await setTokenLimit(tx, {
        tokenId: id,
        userId: caller.id,
        remain: quota(remain),
        ...(knownRemain !== undefined && { knownRemain }),
        actorId: caller.id,
        reason: { zh: '修改令牌', en: 'Token updated' },
        requestId,
      })
    }
    return getOwnToken(tx, caller, id)
  })
}

export async function getOwnToken(tx: ApiContext['db'], owner: TokenOwner, id: number): Promise<TokenRow> {
  const token = await findToken(tx, owner, id)
  if (!token) throw tokenError('unknown')
  return token
}

export function checkUsable(
  token: Pick<TokenRow, 'expired_time' | 'remain_quota' | 'unlimited_quota'>,
): void {
  if (token.expired_time !== NEVER && token.expired_time <= nowSeconds()) throw tokenError('expired')
  if (token.remain_quota <= 0 && token.unlimited_quota === 0) throw tokenError('exhausted')
}
