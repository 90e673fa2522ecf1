import { NO_USAGE } from '../../core/usage.ts'
import type { RelayContext } from '../relay-context.ts'
import type { RelayRequest } from '../request/relay-request.ts'
import { routeOrder } from '../routing/choose-route.ts'
import { sessionOf } from '../routing/session-affinity.ts'
import { AttemptsFailed } from '../upstream/attempts.ts'
import type { Waiter } from '../upstream/send.ts'
import { attempt } from '../upstream/try-channels.ts'

/** Says how many tokens a request has: the vendor's word where it gives one, else the estimate. Nobody is charged. */
export async function countTokens(order: RelayRequest, gateway: RelayContext, waiter: Waiter): Promise<Response> {
  const counted = await askVendor(order, gateway, waiter)
  return Response.json(order.dialect.writeReply(counted ?? order.inputTokens, NO_USAGE, order))
}

async function askVendor(order: RelayRequest, gateway: RelayContext, waiter: Waiter): Promise<unknown> {
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
