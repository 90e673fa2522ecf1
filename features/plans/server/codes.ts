import { nowSeconds } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import { PLAN_CODE_START } from '../contract/subscriptions.ts'
import { planError } from './errors.ts'
import type { LifeCause, LifeDeps } from './life.ts'
import { claimCode, insertCodes, listSubscriptionsOf, type SubscriptionRow } from './queries.ts'
import { getPlan, payNow, startPlan } from './subscriptions.ts'

const PLAN_CODE_PURPOSE = 'plan-code'

/** Creates codes, all or none, and returns them: nobody sees them again. */
export function createCodes(
  { planId, count }: { readonly planId: number; readonly count: number },
  { db, secrets }: { readonly db: Database; readonly secrets: Pick<Secrets, 'hash'> },
): Promise<string[]> {
  const codes = Array.from({ length: count }, () => PLAN_CODE_START + crypto.randomUUID().replaceAll('-', ''))
  return inTransaction(db, async tx => {
    await getPlan(tx, planId)
    const rows = codes.map(code => ({
      plan_id: planId,
      key_hash: secrets.hash(PLAN_CODE_PURPOSE, code),
      created_at: nowSeconds(),
    }))
    await insertCodes(tx, rows)
    return codes
  })
}

interface Redemption {
  readonly code: string
  readonly userId: number
  readonly zone: string
}

/**
 * Credits the price of the plan and buys a period with it: a code is money that came in elsewhere. It pays a subscription of
 * the plan that is past due. Throws `plan.code`, and the errors of a purchase, which leave the code unused.
 */
export async function redeemPlanCode(
  tx: Database,
  { code, userId, zone }: Redemption,
  { secrets, ...deps }: LifeDeps & { readonly cause: LifeCause; readonly secrets: Pick<Secrets, 'hash'> },
): Promise<SubscriptionRow> {
  const keyHash = secrets.hash(PLAN_CODE_PURPOSE, code)
  const claimed = await claimCode(tx, keyHash, { userId, now: nowSeconds() })
  if (!claimed) throw planError('code')
  const { id: planId, price, name } = await getPlan(tx, claimed.plan_id)
  const reason = { zh: `套餐兑换码：${name}`, en: `Plan code: ${name}` }
  if (price > 0) await adjustWallet(tx, { ...deps.cause, userId, kind: 'code', amount: price, reason })
  const owing = (await listSubscriptionsOf(tx, userId)).find(
    ({ plan_id, state }) => plan_id === planId && state === 'past_due',
  )
  return owing
    ? payNow(tx, { id: owing.id, userId }, deps)
    : startPlan(tx, { userId, planId, zone, isByCode: true }, deps)
}
