import { NO_USAGE } from '../kernel/usage.ts'
import { attempt } from './attempt.ts'
import { AttemptsFailed } from './attempts-failed.ts'
import type { Gateway } from './gateway.ts'
import type { Order } from './order.ts'
import { sessionOf } from './routing/affinity.ts'
import { routeOrder } from './routing/route-order.ts'
import type { Waiter } from './send.ts'

/** Says how many tokens a request has: the vendor's word where it gives one, else the estimate. Nobody is charged. */
export async function countTokens(order: Order, gateway: Gateway, waiter: Waiter): Promise<Response> {
  const counted = await askVendor(order, gateway, waiter)
  return Response.json(order.dialect.writeReply(counted ?? order.inputTokens, NO_USAGE, order))
}

async function askVendor(order: Order, gateway: Gateway, waiter: Waiter): Promise<unknown> {
  const trial = routeOrder(order, sessionOf(order), gateway)
  try {
    const { answer, visit } = await attempt(order, trial, gateway, waiter)
    visit.end('good')
    return answer.kind === 'whole' ? answer.reply : undefined
  } catch (error) {
    if (error instanceof AttemptsFailed) return undefined
    throw error
  }
}
