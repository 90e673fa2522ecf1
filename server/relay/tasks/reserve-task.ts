import { NO_USAGE } from '../../core/usage.ts'
import type { Hold } from '../../ledger/ledger.ts'
import {
  type Charge,
  chargeOf,
  holdAmount,
  type Price,
  type PriceTable,
  priceOf,
} from '../../ledger/price.ts'
import { toPayer } from '../billing/estimate-hold.ts'
import type { RelayContext } from '../relay-context.ts'
import type { TaskOrder } from './order-task.ts'

export interface ReservedTask {
  readonly hold: Hold
  readonly price: Price
  /** What it costs when it succeeds: known before it begins. */
  readonly charge: Charge
}

/** What an action without a price of its own costs, as drawing clients know it. */
const DOLLARS_WITHOUT_PRICE = 0.1
const NOTHING_COUNTED = { inputTokens: 0, outputTokens: 0 } as const

/** Sets the whole price aside before the vendor is asked. Throws GatewayError when wallet or token cannot afford it. */
export async function reserveTask(order: TaskOrder, { ledger, settings }: RelayContext): Promise<ReservedTask> {
  const price = priceOfTask(order, settings.current().prices)
  const { requestId, caller } = order
  const hold = await ledger.reserve({
    requestId,
    ...toPayer(caller, settings.current()),
    amount: holdAmount(price, NOTHING_COUNTED),
  })
  return { hold, price, charge: chargeOf(price, NO_USAGE) }
}

/** Tasks are priced by the call only. A price for the action at the asked speed, `mj_turbo_imagine`, goes before the action's. */
export function priceOfTask(
  { model, mode, caller: { group } }: Pick<TaskOrder, 'model' | 'mode' | 'caller'>,
  prices: PriceTable,
): Price {
  const atSpeed = model.replace('_', `_${mode}_`)
  const priced = [atSpeed, model].find(name => Object.hasOwn(prices.modelPrice, name))
  return priced === undefined
    ? priceOf({ ...prices, modelPrice: { [model]: DOLLARS_WITHOUT_PRICE } }, { model, group })
    : priceOf(prices, { model: priced, group })
}
