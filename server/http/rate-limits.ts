import { type AnyEndpoint, COST } from '#contract/endpoint.ts'
import { ROLE } from '#contract/enums.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiCaller } from '../api/context.ts'
import { apiErrors } from '../core/api-error.ts'
import { KIB } from '../core/limits.ts'
import type { RateBudget, RateLimit, RateLimiter, SpendResult } from '../core/rate-limit.ts'
import type { ProcessorBudget } from '../relay/admission/processor-budget.ts'
import { clientNetwork, isLoopback } from './client-address.ts'

const MINUTE_MS = 60_000
/** By network, for all critical endpoints together. */
const CRITICAL_CALLS: RateLimit = { name: 'critical', limit: 20, windowMs: 20 * MINUTE_MS }
/** Far above what a person clicks. A read waits for no store. */
const READ_SHARE = 1 / 400
/** A text of a user costs a point for each such part, since it is parsed and validated whatever it says. */
export const BYTES_PER_POINT = 4 * KIB
/** They make calls for others, too. */
const ADMIN_FACTOR = 5
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
  readonly caller: Pick<ApiCaller, 'id' | 'username' | 'role'>
  readonly address: string
}

/**
 * What management calls cost their callers. Signed-in users have a budget of their own, so that an office behind one address
 * is not one caller, and each call takes the same share of their processor time, which reads and what is free in the relay
 * draw on, too. Calls from this machine are free.
 */
export class CallLimits {
  private readonly limiter: RateLimiter
  private readonly processorBudget: ProcessorBudget
  private readonly options: () => BudgetOptions

  constructor({ rateLimiter, processorBudget }: CallLimitDeps, options: () => BudgetOptions) {
    this.limiter = rateLimiter
    this.processorBudget = processorBudget
    this.options = options
  }

  /** Charges a call. Throws rate.too_often (HTTP 429) when the budget of its caller is spent. */
  async takeCall(endpoint: AnyEndpoint, origin: CallOrigin): Promise<void> {
    const { caller, address } = origin
    if (isLoopback(address)) return
    const cost = costOf(endpoint, caller.id === 0)
    await this.spend(cost, origin)
    if (cost === 0) this.takeShare(caller, READ_SHARE)
    if (endpoint.isCritical)
      rejectUnlessAllowed(await this.limiter.take(CRITICAL_CALLS, clientNetwork(address)))
  }

  /** Charges a body before it is parsed. Throws as `takeCall`. */
  async takeBody(bytes: number, origin: CallOrigin): Promise<void> {
    if (origin.caller.role < ROLE.admin && !isLoopback(origin.address))
      await this.spend(Math.floor(bytes / BYTES_PER_POINT), origin)
  }

  private async spend(cost: number, { caller, address }: CallOrigin): Promise<void> {
    if (cost === 0) return
    const [budget, subject] =
      caller.id === 0
        ? [visitorBudget(this.options()), clientNetwork(address)]
        : [userBudget(this.options(), caller), `user ${caller.id}`]
    rejectUnlessAllowed(await this.limiter.spend(budget, subject, cost))
    if (caller.id !== 0) this.takeShare(caller, cost / budget.points)
  }

  /** Scripts of administrators may take more. */
  private takeShare({ id, role }: CallOrigin['caller'], share: number): void {
    if (role < ROLE.admin) rejectUnlessAllowed(this.processorBudget.take(id, share))
  }
}

export interface CallLimitDeps {
  readonly rateLimiter: RateLimiter
  readonly processorBudget: ProcessorBudget
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
  { username, role }: CallOrigin['caller'],
): RateBudget {
  const ownFactor = Object.hasOwn(factors, username) ? (factors[username] ?? 1) : 1
  const factor = ownFactor * (role < ROLE.admin ? 1 : ADMIN_FACTOR)
  return { name: 'calls', points: Math.max(1, Math.round(points * factor)), windowMs: MINUTE_MS }
}

function rejectUnlessAllowed({ isAllowed, retryAfterMs }: SpendResult): void {
  if (!isAllowed) throw rateLimitError('too_often', { seconds: Math.ceil(retryAfterMs / 1000) })
}
