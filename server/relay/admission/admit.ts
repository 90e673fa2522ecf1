import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { type AmountFormat, formatQuota } from '../../core/money.ts'
import type { RateLimit, RateLimiter, RateLimitResult } from '../../core/rate-limit.ts'
import type { CachedValue } from '../../db/engine/cached-value.ts'
import type { PriceBook } from '../../pricing/price-book.ts'
import type { ChannelDirectory } from '../routing/channel-directory.ts'
import type { Caller, OperationEnd, RelayCall, RelayOptions, SettingsReader } from '../types.ts'

/** A request that passed the rate limits. Call exactly one of the functions when it ends. */
export interface Admission {
  /** Adds the rate limit headers, and does not count a response with an error status as a success. */
  complete(response: Response): Promise<Response>
  /** Call this for a request that ends without a response of its own. */
  cancel(): Promise<void>
}

/** The options by which a wallet is judged, and named in a rejection. */
export type WalletOption = 'prices' | keyof AmountFormat

export interface WalletCheckDeps {
  readonly channels: CachedValue<ChannelDirectory>
  readonly settings: SettingsReader<WalletOption>
}

export interface AdmissionDeps extends RateLimitDeps, WalletCheckDeps {
  readonly settings: SettingsReader<RateOption | WalletOption>
  readonly hooks: { readonly admit?: ((call: RelayCall) => Promise<Admission>) | undefined }
}

type RateOption =
  | 'ModelRequestRateLimitEnabled'
  | 'ModelRequestRateLimitDurationMinutes'
  | 'ModelRequestRateLimitCount'
  | 'ModelRequestRateLimitSuccessCount'

export interface RateLimitDeps {
  readonly rateLimiter: RateLimiter
  readonly failureLimit: FailureLimit
  readonly settings: SettingsReader<RateOption>
}

/** What an operation is admitted by. */
interface AdmissionTerms {
  readonly finishes: OperationEnd
  /** By default whatever is paid for needs a balance. */
  readonly needsBalance?: boolean
}

/**
 * Admits a call before its body is read: by the rates of its token and user, by features, and by the balance where it
 * costs anything. Throws GatewayError `too_many_requests` or `insufficient_user_quota`.
 */
export async function admit(call: RelayCall, terms: AdmissionTerms, deps: AdmissionDeps): Promise<Admission> {
  const { finishes, needsBalance = finishes === 'now' || finishes === 'later' } = terms
  const admission = await admitByRate(call, finishes, deps)
  if (!needsBalance) return admission
  try {
    requireBalance(call.caller, deps)
  } catch (error) {
    await admission.cancel()
    throw error
  }
  return admission
}

/** A response in the background was admitted when it was requested. The rates of users are for models, not for tasks. */
async function admitByRate(call: RelayCall, finishes: OperationEnd, deps: AdmissionDeps): Promise<Admission> {
  if (finishes === 'lookup') return limitLookups(call.caller, deps, LOOKUPS)
  if (call.connection.isBackground) return UNLIMITED
  const rates = await limitRate(call.caller, { includesUser: finishes !== 'later' }, deps)
  return withUsageHeaders(call, deps.hooks.admit ? await admitFurther(rates, deps.hooks.admit(call)) : rates)
}

function withUsageHeaders({ client, caller: { token } }: RelayCall, admission: Admission): Admission {
  const headers = token?.usedShare === undefined ? undefined : client.usageHeaders?.(token.usedShare)
  if (!headers) return admission
  return {
    ...admission,
    async complete(response) {
      if (response.status < LEAST_ERROR_STATUS)
        for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
      return admission.complete(response)
    },
  }
}

const LEAST_ERROR_STATUS = 400
const MINUTE_MS = 60_000
/** Far above an agent that polls its responses once a second. */
const LOOKUPS: RateLimit = { name: 'lookups', limit: 1_200, windowMs: MINUTE_MS }
/** Some clients send them all the time. */
export const BALANCE_QUERIES: RateLimit = { name: 'balance queries', limit: 180, windowMs: 180_000 }

export const UNLIMITED: Admission = {
  complete: response => Promise.resolve(response),
  cancel: () => Promise.resolve(),
}

/**
 * Applies the rate limits of the caller's token and, with `includesUser`, of its user. Throws GatewayError
 * `too_many_requests` with the time to wait.
 */
export async function limitRate(
  caller: Caller,
  { includesUser }: { readonly includesUser: boolean },
  deps: RateLimitDeps,
): Promise<Admission> {
  deps.failureLimit.check(caller)
  await limitTokenRate(caller, deps)
  const options = deps.settings.current()
  const isLimited = includesUser && options.ModelRequestRateLimitEnabled
  return isLimited ? limitUserRate(caller, options, deps) : UNLIMITED
}

/** Both admissions as one. When `further` rejects, the first one is cancelled. */
export async function admitFurther(first: Admission, further: Promise<Admission>): Promise<Admission> {
  const second = await further.catch(async (error: unknown) => {
    await first.cancel()
    throw error
  })
  return {
    complete: async response => second.complete(await first.complete(response)),
    async cancel() {
      await first.cancel()
      await second.cancel()
    },
  }
}

async function limitTokenRate({ token }: Caller, { rateLimiter }: RateLimitDeps): Promise<void> {
  if (!token || token.requestsPerMinute === 0) return
  const limit: RateLimit = { name: 'token requests', limit: token.requestsPerMinute, windowMs: MINUTE_MS }
  rejectWhenFull(await rateLimiter.take(limit, `token ${token.id}`), limit)
}

/** A success is counted in advance and put back when the request fails, so that concurrent requests cannot exceed the limit. */
async function limitUserRate(
  { userId }: Caller,
  options: Pick<RelayOptions, RateOption>,
  { rateLimiter }: RateLimitDeps,
): Promise<Admission> {
  const { ModelRequestRateLimitCount: requests, ModelRequestRateLimitSuccessCount: successes } = options
  const windowMs = options.ModelRequestRateLimitDurationMinutes * MINUTE_MS
  const user = `user ${userId}`
  const requestLimit: RateLimit = { name: 'model requests', limit: requests, windowMs }
  const successLimit: RateLimit = { name: 'model successes', limit: successes, windowMs }
  if (requests > 0) rejectWhenFull(await rateLimiter.take(requestLimit, user), requestLimit)
  const taken = await rateLimiter.take(successLimit, user)
  rejectWhenFull(taken, successLimit)
  const cancel = () => rateLimiter.putBack(successLimit, user, taken)
  return {
    async complete(response) {
      // OpenAI's header names, which its SDKs read.
      response.headers.set('x-ratelimit-limit-requests', String(successes))
      response.headers.set('x-ratelimit-remaining-requests', String(taken.remaining))
      if (response.status >= LEAST_ERROR_STATUS) await cancel()
      return response
    },
    cancel,
  }
}

/** For calls that reach no model: they cost nothing, but each reads the database. */
export async function limitLookups(
  { userId }: Caller,
  { rateLimiter }: Pick<RateLimitDeps, 'rateLimiter'>,
  limit: RateLimit,
): Promise<Admission> {
  rejectWhenFull(await rateLimiter.take(limit, `user ${userId}`), limit)
  return UNLIMITED
}

function rejectWhenFull({ isAllowed, retryAfterMs }: RateLimitResult, { limit, windowMs }: RateLimit): void {
  if (isAllowed) return
  const seconds = Math.ceil(retryAfterMs / 1000)
  const minutes = Math.round(windowMs / MINUTE_MS)
  throw new GatewayError(
    'too_many_requests',
    {
      zh: `每 ${minutes} 分钟最多请求 ${limit} 次，请在 ${seconds} 秒后重试`,
      en: `the limit is ${limit} requests in ${minutes} min; try again in ${seconds} s`,
    },
    { retryAfterSeconds: seconds },
  )
}

const BLOCKED_MAX = 10_000
/** Statuses that say nothing about the request: the key of the channel, the time, the load, a client that left. */
const NOT_OF_THE_REQUEST: ReadonlySet<number> = new Set([401, 402, 403, 408, 429, 499])
const CLIENT_ERRORS = { min: 400, max: 499 } as const

interface FailureLimitDeps {
  readonly rateLimiter: RateLimiter
  readonly settings: SettingsReader<'FailedRequestRateLimit'>
}

/**
 * Limits the failing requests of each token, and of all tokens of a user, since every one leaves a row. Only failures are
 * counted, so that other requests need no look at the shared store; each process learns of an exceeded limit with its next failure.
 */
export class FailureLimit {
  private readonly deps: FailureLimitDeps
  /** By token or user, when the next request is admitted; on the clock of `elapsedMs`. */
  private readonly blocked = new Map<string, number>()

  constructor(deps: FailureLimitDeps) {
    this.deps = deps
  }

  /** Throws GatewayError `too_many_requests` while too many requests of the token or its user have failed. */
  check(caller: FailingCaller): void {
    for (const { name, factor } of failingSubjects(caller)) this.checkSubject(name, factor)
  }

  private checkSubject(name: string, factor: number): void {
    const untilMs = this.blocked.get(name)
    if (untilMs === undefined) return
    const leftMs = untilMs - elapsedMs()
    const limit = this.deps.settings.current().FailedRequestRateLimit * factor
    if (leftMs <= 0 || limit === 0) return void this.blocked.delete(name)
    const seconds = Math.ceil(leftMs / 1000)
    throw new GatewayError(
      'too_many_requests',
      {
        zh: `失败的请求过多（每分钟最多 ${limit} 个），请在 ${seconds} 秒后重试`,
        en: `too many requests failed: the limit is ${limit} a minute; try again in ${seconds} s`,
      },
      { retryAfterSeconds: seconds },
    )
  }

  /** Counts a request that was rejected before anything was held for it, if by its own fault. */
  async countRejected(caller: FailingCaller, status: number): Promise<void> {
    if (isFaultOfRequest(status)) await this.count(caller, status)
  }

  /** Counts a failed request. Returns whether its row may be stored. */
  async count(caller: FailingCaller, status: number): Promise<boolean> {
    for (const subject of failingSubjects(caller))
      if (!(await this.countSubject(subject, status))) return false
    return true
  }

  private async countSubject({ name: subject, factor }: FailingSubject, status: number): Promise<boolean> {
    const limit = this.deps.settings.current().FailedRequestRateLimit * factor
    if (limit === 0) return true
    // Counted apart, so that no caller is rejected because a provider fails.
    const isOwnFault = isFaultOfRequest(status)
    const name = isOwnFault ? 'failed requests' : 'failures of providers'
    const rate: RateLimit = { name, limit, windowMs: MINUTE_MS }
    const taken = await this.deps.rateLimiter.take(rate, subject).catch(() => undefined)
    // Without a count the row is stored.
    if (!taken) return true
    const { isAllowed, retryAfterMs } = taken
    if (!isAllowed && isOwnFault && this.blocked.size < BLOCKED_MAX)
      this.blocked.set(subject, elapsedMs() + retryAfterMs)
    return isAllowed
  }
}

type FailingCaller = Pick<Caller, 'userId' | 'token'>

interface FailingSubject {
  readonly name: string
  readonly factor: number
}

/** One token that fails in a loop stops no other service of its user, and many tokens give no more rows than this many. */
const TOKENS_AT_LIMIT = 4

/** The token first: a failure beyond its limit does not count for its user. */
const failingSubjects = ({ userId, token }: FailingCaller): readonly FailingSubject[] => [
  ...(token ? [{ name: `token ${token.id}`, factor: 1 }] : []),
  { name: `user ${userId}`, factor: token ? TOKENS_AT_LIMIT : 1 },
]

const isFaultOfRequest = (status: number): boolean =>
  status >= CLIENT_ERRORS.min && status <= CLIENT_ERRORS.max && !NOT_OF_THE_REQUEST.has(status)

/**
 * Rejects a caller with an empty wallet before the body is read, since nobody would pay for parsing it. A group with a
 * free model passes. Throws GatewayError `insufficient_user_quota`.
 */
export function requireBalance(caller: Caller, deps: WalletCheckDeps): void {
  if (canPay(caller, deps)) return
  // A running request that the wallet may not cover takes it below zero without anything being owed.
  const options = deps.settings.current()
  const left = formatQuota(Math.max(caller.walletUnits, 0), options)
  const least = formatQuota(1, options)
  throw new GatewayError('insufficient_user_quota', {
    zh: `账户剩余额度为 ${left.zh}，至少需要 ${least.zh}`,
    en: `the account has ${left.en} left, at least ${least.en} is needed`,
  })
}

/** Whether the caller has money, budgets that may be those of a subscription, or a group in which some model is free. */
export const canPay = ({ walletUnits, isBounded = false, group }: Caller, deps: WalletCheckDeps): boolean =>
  walletUnits > 0 || isBounded || hasFreeModel(group, deps)

interface FreeModels {
  readonly prices: PriceBook
  readonly byGroup: Map<string, boolean>
}

/** By snapshot of the channels, so that no entry grows stale. */
const cache = new WeakMap<ChannelDirectory, FreeModels>()

/** Whether the group has a model that costs nothing, which empty wallets and spent tokens may use. */
export function hasFreeModel(group: string, { channels, settings }: WalletCheckDeps): boolean {
  const directory = channels.current()
  const { prices } = settings.current()
  const cached = cache.get(directory)
  const current = cached?.prices === prices ? cached : { prices, byGroup: new Map<string, boolean>() }
  if (current !== cached) cache.set(directory, current)
  const known = current.byGroup.get(group)
  if (known !== undefined) return known
  const isFree =
    prices.groupRatio(group) === 0 || directory.listModels(group).some(model => prices.find(model)?.isFree)
  current.byGroup.set(group, isFree)
  return isFree
}
