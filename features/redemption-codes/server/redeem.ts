import { LOG_TYPE } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { REDEMPTION_PURPOSE } from '#server/core/crypto.ts'
import { formatQuota } from '#server/core/money.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import { redemptionError } from './errors.ts'
import { claimRedemption, hasRedemption } from './queries.ts'

/** Redeems a code for the caller and returns its quota. Code, wallet and log row change in one transaction. */
export function redeemCode(
  code: string,
  {
    db,
    caller,
    secrets,
    settings,
    requestId,
  }: Pick<ApiContext, 'db' | 'caller' | 'secrets' | 'settings' | 'requestId'>,
): Promise<number> {
  if (code === '') throw redemptionError('missing')
  const keyHash = secrets.hash(REDEMPTION_PURPOSE, code)
  return inTransaction(db, async tx => {
    const claimed = await claimRedemption(tx, keyHash, { userId: caller.id, atSeconds: nowSeconds() })
    if (!claimed) throw redemptionError((await hasRedemption(tx, keyHash)) ? 'used' : 'invalid')
    const { id, quota: amount } = claimed
    const worth = formatQuota(amount, settings.current().values)
    await adjustWallet(tx, {
      userId: caller.id,
      amount,
      kind: 'code',
      actorId: caller.id,
      reason: { zh: `兑换码 ID ${id}`, en: `Code ID ${id}` },
      requestId,
    })
    await insertEventLog(tx, {
      type: LOG_TYPE.topUp,
      userId: caller.id,
      username: caller.username,
      content: {
        zh: `通过兑换码充值 ${worth.zh}，兑换码 ID ${id}`,
        en: `Topped up with a redemption code: ${worth.en}, code ID ${id}`,
      },
      quota: amount,
      requestId,
    })
    return amount
  })
}
