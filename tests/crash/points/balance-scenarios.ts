import { z } from 'zod'
import { listTokens, updateToken } from '#contract/entities/token.ts'
import { getSelf } from '#contract/entities/user.ts'
import { createPlan } from '#features/plans/contract/plans.ts'
import { subscribe } from '#features/plans/contract/subscriptions.ts'
import { redeem } from '#features/redemption-codes/contract.ts'
import { payTopUp } from '#features/top-ups/contract.ts'
import { updateUser } from '#features/users/contract.ts'
import { paidNotice } from '../../harness/start-easy-pay.ts'
import type { RunningGateway } from '../../harness/start-gateway.ts'
import { PAYMENT } from './crash-environment.ts'
import { assertKilled, type Scenario, type ScenarioContext } from './scenario.ts'

const DOLLAR = 500_000
const AMOUNT = 3 * DOLLAR
const Form = z.record(z.string(), z.string())

/** Creates what an operation needs. Returns the operation, which may be repeated on any gateway. */
type PrepareOperation = (context: ScenarioContext) => Promise<(gateway: RunningGateway) => Promise<unknown>>

interface BalanceScenario {
  readonly prepare: PrepareOperation
  /** Units that the operation adds to the balance. */
  readonly amount: number
  /** Whether the operation is committed when the gateway is killed. */
  readonly isCommitted: boolean
  readonly readBalance?: (context: ScenarioContext, gateway: RunningGateway) => Promise<number>
}

const readWallet = async ({ environment }: ScenarioContext, gateway: RunningGateway): Promise<number> =>
  (await environment.asUser(gateway).call(getSelf)).quota

const readToken = async ({ environment }: ScenarioContext, gateway: RunningGateway) => {
  const [token] = await environment.asUser(gateway).call(listTokens, {})
  if (!token) throw new Error('expected the token, found none')
  return token
}

/** The gateway is killed during an operation, which is then repeated twice. The balance must change once. */
const balanceScenario = ({
  prepare,
  amount,
  isCommitted,
  readBalance = readWallet,
}: BalanceScenario): Scenario => ({
  isRepeated: true,
  countMax: 1,
  async run(context) {
    const { gateway } = context
    const before = await readBalance(context, gateway)
    const attempt = await prepare(context)
    await attempt(gateway).catch(() => undefined)
    await assertKilled(gateway.ended, context)
    return async next => {
      const gainedBefore = (await readBalance(context, next)) - before
      await attempt(next)
      await attempt(next)
      const gained = (await readBalance(context, next)) - before
      return [
        ...(gainedBefore === (isCommitted ? amount : 0)
          ? []
          : [`the balance gained ${gainedBefore} units before the operation was repeated`]),
        ...(gained === amount ? [] : [`the balance gained ${gained} units, expected ${amount}`]),
      ]
    }
  },
})

const prepareRedemption: PrepareOperation = async ({ environment, gateway }) => {
  const key = await environment.createRedemptionCode(gateway, AMOUNT)
  return next => environment.asUser(next).send(redeem, { body: { key } })
}

/** The payment provider repeats its notice until the gateway confirms it. */
const preparePaymentNotice: PrepareOperation = async ({ environment, gateway }) => {
  const { envelope } = await environment
    .asUser(gateway)
    .send(payTopUp, { body: { amount: 3, payment_method: 'zfb' } })
  const form = Form.parse('data' in envelope ? envelope.data : undefined)
  const query = new URLSearchParams(paidNotice(form, PAYMENT.key))
  return async ({ url }) => {
    const confirmation = await (await fetch(`${url}/api/user/epay/notify?${query}`)).text()
    if (confirmation !== 'success') throw new Error(`the notice was answered with ${confirmation}`)
  }
}

/** The administrator sets the new balance. */
const prepareAdjustment: PrepareOperation = async context => {
  const { environment, gateway } = context
  const quota = (await readWallet(context, gateway)) + AMOUNT
  const { userId: id } = environment.asUser(gateway)
  return next => environment.asRoot(next).call(updateUser, { body: { id, quota, reason: 'a complaint' } })
}

const prepareTokenLimit: PrepareOperation = async context => {
  const { id, remain_quota } = await readToken(context, context.gateway)
  const body = { id, remain_quota: remain_quota + AMOUNT, unlimited_quota: false }
  return next => context.environment.asUser(next).call(updateToken, { body })
}

/** Of a plan that covers no request of the other points. */
const preparePurchase: PrepareOperation = async ({ environment, gateway }) => {
  const windows = [{ period: 'day', unit: 'requests', amount: 1 }]
  const plan = { name: 'Spare', price: AMOUNT, windows, models: ['spare'] }
  const { id } = await environment.asRoot(gateway).call(createPlan, { body: plan })
  return next => environment.asUser(next).send(subscribe, { body: { plan_id: id } })
}

export const purchase = (isCommitted: boolean) =>
  balanceScenario({ prepare: preparePurchase, amount: -AMOUNT, isCommitted })
export const redemption = (isCommitted: boolean) =>
  balanceScenario({ prepare: prepareRedemption, amount: AMOUNT, isCommitted })
export const payment = (isCommitted: boolean) =>
  balanceScenario({ prepare: preparePaymentNotice, amount: AMOUNT, isCommitted })
export const adjustment = (isCommitted: boolean) =>
  balanceScenario({ prepare: prepareAdjustment, amount: AMOUNT, isCommitted })
export const tokenLimit = (isCommitted: boolean) =>
  balanceScenario({
    prepare: prepareTokenLimit,
    amount: AMOUNT,
    isCommitted,
    readBalance: async (context, gateway) => (await readToken(context, gateway)).remain_quota,
  })
