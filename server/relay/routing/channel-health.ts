import { elapsedMs, nowSeconds } from '../../core/clock.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import type { ChannelLimits, RoutedChannel } from './channel-directory.ts'
import { CircuitBreaker, type CircuitPermit } from './circuit-breaker.ts'
import { type CallKind, type PendingCall, StallDetector } from './stall-detector.ts'

/** Why a channel is skipped or tried last at the moment. Receipts store these words. */
export type SkipReason =
  | 'circuit open'
  | 'keys resting'
  | 'silent'
  | 'not heard yet'
  | 'concurrency limit'
  | 'rate limit'
  | 'input limit'

/** The meaning of a call for the health of its channel. `unknown`: the client disconnected first, for example. */
export type CallOutcome = 'success' | 'failure' | 'unknown'

/** One call of a channel, from the decision to make it until the end of its response. */
export interface ChannelCall {
  /**
   * Marks the request as sent. With `kind`, a missing response counts as a stall. A call that is never sent uses no
   * rate limit.
   */
  markSent(kind?: CallKind, nowMs?: number): void
  /** Response headers arrived, with any status. */
  markFirstByte(): void
  readonly hasFirstByte: boolean
  /** The response has begun; its outcome is still open. */
  markOutputStarted(): void
  /** Ends the call. Only the first `end` has an effect. */
  end(outcome: CallOutcome): void
}

const SECOND_MS = 1000
const REVOKED_KEY_COOLDOWN_MS = 600 * SECOND_MS
/** The cooldown after a 429 without Retry-After. */
const RATE_LIMITED_KEY_COOLDOWN_MS = 5 * SECOND_MS
const COOLDOWN_MS_MAX = 600 * SECOND_MS

interface ChannelState {
  readonly circuit: CircuitBreaker
  readonly load: ChannelLoad
  readonly stalls: StallDetector
  /** By key. */
  readonly cooldowns: Map<string, KeyCooldown>
}

interface KeyCooldown {
  readonly untilMs: number
  /** The key was rejected permanently, as opposed to rate limited. */
  readonly isRevoked: boolean
}

/** The health of all channels as this process observes it. Kept in memory only, since it is outdated within minutes. */
export class ChannelHealth {
  private readonly states = new Map<number, ChannelState>()
  private readonly processCount: () => number

  /** `processCount`: how many processes share a channel's limits; each takes an equal share. */
  constructor(processCount: () => number = () => 1) {
    this.processCount = processCount
  }

  /** Undefined when the channel may be called. A limit forbids the call; any other reason only prefers other channels. */
  skipReason(channel: RoutedChannel): SkipReason | undefined {
    const state = this.states.get(channel.id)
    if (!state) return undefined
    const limit = state.load.exceededLimit(channel.limits, this.processCount())
    if (limit) return limit
    const nowMs = elapsedMs()
    if (state.circuit.state(nowMs) === 'open') return 'circuit open'
    if (this.usableKeys(channel).length === 0) return 'keys resting'
    return state.stalls.skipReason(nowMs)
  }

  /** Keys that are not cooling down. */
  usableKeys({ id, views }: RoutedChannel): RoutedChannel['views'] {
    const cooldowns = this.states.get(id)?.cooldowns
    if (!cooldowns || cooldowns.size === 0) return views
    const nowMs = elapsedMs()
    return views.filter(({ key }) => (cooldowns.get(key)?.untilMs ?? 0) <= nowMs)
  }

  /** Counts a call until its end. Returns the exceeded limit instead when there is no room for it. */
  beginCall(channel: RoutedChannel): ChannelCall | SkipReason {
    const state = this.stateOf(channel.id)
    const limit = state.load.exceededLimit(channel.limits, this.processCount())
    if (limit) return limit
    const minute = state.load.begin(channel.limits)
    return new TrackedCall(state, state.circuit.acquire(elapsedMs()), minute)
  }

  /** Starts the cooldown of a key that was rejected or rate limited. Other failures start none. */
  coolDown({ id, view }: RoutedChannel, failure: Failure): void {
    const cooldownMs = cooldownMsFor(failure)
    if (cooldownMs <= 0) return
    const cooldown = { untilMs: elapsedMs() + cooldownMs, isRevoked: failure.isKeyRevoked === true }
    this.stateOf(id).cooldowns.set(view.key, cooldown)
  }

  /** The key was found to work. */
  endCooldown({ id, view }: Pick<RoutedChannel, 'id' | 'view'>): void {
    this.states.get(id)?.cooldowns.delete(view.key)
  }

  /** Whether the channel has another key that is not revoked. A rate limited key counts, since it recovers by itself. */
  hasOtherValidKey({ id, view, views }: RoutedChannel): boolean {
    if (views.length === 1) return false
    const cooldowns = this.states.get(id)?.cooldowns
    const nowMs = elapsedMs()
    const isRevoked = (cooldown: KeyCooldown | undefined) =>
      cooldown?.isRevoked === true && cooldown.untilMs > nowMs
    return views.some(({ key }) => key !== view.key && !isRevoked(cooldowns?.get(key)))
  }

  private stateOf(channelId: number): ChannelState {
    const existing = this.states.get(channelId)
    if (existing) return existing
    const state: ChannelState = {
      circuit: new CircuitBreaker(),
      load: new ChannelLoad(),
      stalls: new StallDetector(),
      cooldowns: new Map(),
    }
    this.states.set(channelId, state)
    return state
  }
}

function cooldownMsFor({ isKeyRevoked, status, retryAfterSeconds }: Failure): number {
  if (isKeyRevoked) return REVOKED_KEY_COOLDOWN_MS
  if (status !== 429) return 0
  return Math.min(
    retryAfterSeconds === undefined ? RATE_LIMITED_KEY_COOLDOWN_MS : retryAfterSeconds * SECOND_MS,
    COOLDOWN_MS_MAX,
  )
}

class TrackedCall implements ChannelCall {
  private readonly state: ChannelState
  private readonly permit: CircuitPermit
  private readonly minute: number | undefined
  private pending: PendingCall | undefined
  private wasSent = false
  private isHeard = false
  private hasEnded = false

  constructor(state: ChannelState, permit: CircuitPermit, minute: number | undefined) {
    this.state = state
    this.permit = permit
    this.minute = minute
    state.stalls.reserve()
  }

  markSent(kind?: CallKind, nowMs = elapsedMs()): void {
    if (!this.wasSent) this.state.stalls.release()
    this.wasSent = true
    if (kind) this.pending = this.state.stalls.begin(kind, nowMs)
  }

  get hasFirstByte(): boolean {
    return this.isHeard
  }

  markFirstByte(): void {
    this.isHeard = true
    if (this.pending) this.state.stalls.recordFirstByte(this.pending, elapsedMs())
    this.pending = undefined
  }

  markOutputStarted(): void {
    this.state.circuit.releaseProbe(this.permit)
  }

  end(outcome: CallOutcome): void {
    if (this.hasEnded) return
    this.hasEnded = true
    const { circuit, load, stalls } = this.state
    if (this.pending) stalls.abandon(this.pending, elapsedMs())
    load.end()
    if (!this.wasSent) {
      stalls.release()
      load.uncount(this.minute)
    }
    if (outcome === 'success') circuit.recordSuccess(this.permit)
    else if (outcome === 'failure') circuit.recordFailure(this.permit, elapsedMs())
    else circuit.releaseProbe(this.permit)
  }
}

const MINUTE_SECONDS = 60

/** How much this process uses a channel: open calls, and calls begun in the current minute of the clock. */
class ChannelLoad {
  private openCalls = 0
  private minute = 0
  private callsInMinute = 0

  exceededLimit(limits: ChannelLimits, processes: number): 'concurrency limit' | 'rate limit' | undefined {
    const { concurrency, requestsPerMinute } = limits
    if (concurrency !== undefined && this.openCalls >= shareOfLimit(concurrency, processes))
      return 'concurrency limit'
    if (requestsPerMinute === undefined) return undefined
    const isCurrent = this.minute === currentMinute()
    return isCurrent && this.callsInMinute >= shareOfLimit(requestsPerMinute, processes)
      ? 'rate limit'
      : undefined
  }

  /** Returns the minute that the call counts in; undefined when the channel has no rate limit. */
  begin({ requestsPerMinute }: ChannelLimits): number | undefined {
    this.openCalls += 1
    if (requestsPerMinute === undefined) return undefined
    if (this.minute !== currentMinute()) this.callsInMinute = 0
    this.minute = currentMinute()
    this.callsInMinute += 1
    return this.minute
  }

  /** Takes back a call that was not sent after all. */
  uncount(minute: number | undefined): void {
    if (minute === this.minute) this.callsInMinute -= 1
  }

  end(): void {
    this.openCalls -= 1
  }
}

const currentMinute = (): number => Math.floor(nowSeconds() / MINUTE_SECONDS)

/** Rounded down, so that all processes together respect the limit, but at least one each. */
const shareOfLimit = (limit: number, processes: number): number => Math.max(1, Math.floor(limit / processes))
