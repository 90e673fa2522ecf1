import { type AnyEndpoint, COST } from '#contract/endpoint.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiCaller } from '../api/context.ts'
import { apiErrors } from '../core/api-error.ts'
import type { RateBudget, RateLimit, RateLimiter, SpendResult } from '../core/rate-limit.ts'
import { clientNetwork, isLoopback } from './client-address.ts'

const MINUTE_MS = 60_000
/** By network, for all critical endpoints together. */
const CRITICAL_CALLS: RateLimit = { name: 'critical', limit: 20, windowMs: 20 * MINUTE_MS }
const TOO_MANY_REQUESTS = 429

const rateLimitError = apiErrors(
  'rate',
  {
    too_often: {
      zh: '请求次数过多，请在 {seconds} 秒后重试',
      en: 'too many requests; try again in {seconds} s',
    },
  },
  TOO_MANY_REQUESTS,
)

type BudgetOptions = Pick<
  OptionValues,
  'CallBudgetPerMinute' | 'VisitorCallBudgetPerMinute' | 'CallBudgetFactors'
>

interface CallOrigin {
  readonly caller: Pick<ApiCaller, 'id' | 'username'>
  readonly address: string
}

/**
 * Charges a management call to the budget of its caller. Throws rate.too_often (HTTP 429) when that is spent. Signed-in
 * users have a budget of their own, so that an office behind one address is not one caller. Calls from this machine are
 * free.
 */
export async function limitCall(
  endpoint: AnyEndpoint,
  { caller, address }: CallOrigin,
  { limiter, options }: { readonly limiter: RateLimiter; readonly options: BudgetOptions },
): Promise<void> {
  if (isLoopback(address)) return
  const network = clientNetwork(address)
  const isVisitor = caller.id === 0
  const cost = costOf(endpoint, isVisitor)
  const budget = isVisitor ? visitorBudget(options) : userBudget(options, caller.username)
  if (cost > 0)
    rejectUnlessAllowed(await limiter.spend(budget, isVisitor ? network : `user ${caller.id}`, cost))
  if (endpoint.isCritical) rejectUnlessAllowed(await limiter.take(CRITICAL_CALLS, network))
}

function costOf({ cost, method }: AnyEndpoint, isVisitor: boolean): number {
  if (cost !== undefined) return cost
  if (method !== 'GET') return COST.write
  return isVisitor ? COST.visit : 0
}

const visitorBudget = ({ VisitorCallBudgetPerMinute: points }: BudgetOptions): RateBudget => ({
  name: 'visits',
  points,
  windowMs: MINUTE_MS,
})

function userBudget(
  { CallBudgetPerMinute: points, CallBudgetFactors: factors }: BudgetOptions,
  username: string,
): RateBudget {
  const factor = Object.hasOwn(factors, username) ? (factors[username] ?? 1) : 1
  return { name: 'calls', points: Math.max(1, Math.round(points * factor)), windowMs: MINUTE_MS }
}

function rejectUnlessAllowed({ isAllowed, retryAfterMs }: SpendResult): void {
  if (!isAllowed) throw rateLimitError('too_often', { seconds: Math.ceil(retryAfterMs / 1000) })
}
