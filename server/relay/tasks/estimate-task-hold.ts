import { NO_USAGE } from '../../core/usage.ts'
import {
  type Charge,
  calculateCharge,
  getPrice,
  holdAmount,
  type Price,
  type PriceTable,
} from '../../ledger/pricing/price.ts'
import { type HoldEstimate, type Reservation, toPayer } from '../billing/estimate-hold.ts'
import type { SettingsReader } from '../types.ts'
import type { TaskRequest } from './parse-task-request.ts'

/** The price of an action that has none of its own, as drawing clients expect it. */
const DOLLARS_WITHOUT_PRICE = 0.1
const NO_TOKENS = { inputTokens: 0, outputTokens: 0 } as const

/** The whole price of a task, which is known before it begins. */
export function estimateTaskHold(
  request: TaskRequest,
  settings: SettingsReader<'prices' | 'userConcurrency'>,
): HoldEstimate {
  const { prices, userConcurrency } = settings.current()
  const { requestId, caller } = request
  const price = getTaskPrice(request, prices)
  const amount = holdAmount(price, NO_TOKENS)
  return { hold: { requestId, ...toPayer(caller, { userConcurrency }), amount }, price, outputTokens: 0 }
}

/** What a task costs when it succeeds. */
export const taskCharge = ({ price }: Pick<Reservation, 'price'>): Charge => calculateCharge(price, NO_USAGE)

/** Tasks are priced per call. A price for the action at the requested speed, `mj_turbo_imagine`, precedes the action's own. */
export function getTaskPrice(
  { model, mode, caller: { group } }: Pick<TaskRequest, 'model' | 'mode' | 'caller'>,
  prices: PriceTable,
): Price {
  const modelAtSpeed = model.replace('_', `_${mode}_`)
  const priced = [modelAtSpeed, model].find(name => Object.hasOwn(prices.modelPrice, name))
  return priced === undefined
    ? getPrice({ ...prices, modelPrice: { [model]: DOLLARS_WITHOUT_PRICE } }, { model, group })
    : getPrice(prices, { model: priced, group })
}
