import { z } from 'zod'
import { updateUser } from '#contract/accounts/user-management.ts'
import { getSelf } from '#contract/accounts/users.ts'
import { redeem } from '#contract/billing/redemptions.ts'
import { payTopUp } from '#contract/billing/top-ups.ts'
import { listTokens, updateToken } from '#contract/tokens.ts'
import { paidNotice } from '../../harness/start-easy-pay.ts'
import type { RunningGateway } from '../../harness/start-gateway.ts'
import { assertKilled } from './assert-killed.ts'
import { PAYMENT } from './ground.ts'
import type { Scene, Stage } from './scene.ts'

const DOLLAR = 500_000
const WORTH = 3 * DOLLAR
const Form = z.record(z.string(), z.string())

/** Money that moves without a request: readies what is needed, then gives what may be tried again and again. */
type Errand = (stage: Stage) => Promise<(gateway: RunningGateway) => Promise<unknown>>

interface ErrandScene {
  readonly errand: Errand
  /** What the errand brings to the wallet or the token. */
  readonly worth: number
  /** Whether it was done when the gateway died. */
  readonly isDone: boolean
  readonly balance?: (stage: Stage, gateway: RunningGateway) => Promise<number>
}

const walletOf = async ({ ground }: Stage, gateway: RunningGateway): Promise<number> =>
  (await ground.user(gateway).call(getSelf)).quota

const tokenOf = async ({ ground }: Stage, gateway: RunningGateway) => {
  const [token] = await ground.user(gateway).call(listTokens, {})
  if (!token) throw new Error('expected the token, found none')
  return token
}

/** The gateway dies in the middle of an errand; whoever sent it tries once more, and once more. It counts once. */
const errand = ({ errand: ready, worth, isDone, balance = walletOf }: ErrandScene): Scene => ({
  isRepeated: true,
  countMax: 1,
  async act(stage) {
    const { gateway } = stage
    const before = await balance(stage, gateway)
    const attempt = await ready(stage)
    await attempt(gateway).catch(() => undefined)
    await assertKilled(gateway.ended, stage)
    return async next => {
      const gained = (await balance(stage, next)) - before
      await attempt(next)
      await attempt(next)
      const inAll = (await balance(stage, next)) - before
      return [
        ...(gained === (isDone ? worth : 0)
          ? []
          : [`${gained} units came in before the errand was repeated`]),
        ...(inAll === worth ? [] : [`${inAll} units came in, not ${worth}`]),
      ]
    }
  },
})

const redeemCode: Errand = async ({ ground, gateway }) => {
  const key = await ground.makeCode(gateway, WORTH)
  return next => ground.user(next).ask(redeem, { body: { key } })
}

/** The payment provider tells until it hears that it was heard. */
const payForTopUp: Errand = async ({ ground, gateway }) => {
  const { envelope } = await ground
    .user(gateway)
    .ask(payTopUp, { body: { amount: 3, payment_method: 'zfb' } })
  const form = Form.parse('data' in envelope ? envelope.data : undefined)
  const query = new URLSearchParams(paidNotice(form, PAYMENT.key))
  return async ({ url }) => {
    const heard = await (await fetch(`${url}/api/user/epay/notify?${query}`)).text()
    if (heard !== 'success') throw new Error(`the notice was answered with ${heard}`)
  }
}

/** The administrator writes down the balance that is wanted. */
const adjust: Errand = async stage => {
  const { ground, gateway } = stage
  const quota = (await walletOf(stage, gateway)) + WORTH
  const { userId: id } = ground.user(gateway)
  return next => ground.root(next).call(updateUser, { body: { id, quota, reason: 'a complaint' } })
}

const limitToken: Errand = async stage => {
  const { id, remain_quota } = await tokenOf(stage, stage.gateway)
  const body = { id, remain_quota: remain_quota + WORTH, unlimited_quota: false }
  return next => stage.ground.user(next).call(updateToken, { body })
}

export const redeeming = (isDone: boolean) => errand({ errand: redeemCode, worth: WORTH, isDone })
export const paying = (isDone: boolean) => errand({ errand: payForTopUp, worth: WORTH, isDone })
export const adjusting = (isDone: boolean) => errand({ errand: adjust, worth: WORTH, isDone })
export const limiting = (isDone: boolean) =>
  errand({
    errand: limitToken,
    worth: WORTH,
    isDone,
    balance: async (stage, gateway) => (await tokenOf(stage, gateway)).remain_quota,
  })
