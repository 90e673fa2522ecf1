/** Consecutive failures that open a circuit. */
const CONSECUTIVE_FAILURES_MAX = 5
/** Failures among the last twenty calls that open a circuit. */
const RECENT_FAILURES_MAX = 10
/** Twenty bits, one for each recent call. */
const RECENT_CALLS_MASK = 0xfffff
const FIRST_PAUSE_MS = 5000
const PAUSE_MS_MAX = 120_000

export type CircuitState = 'closed' | 'open' | 'half-open'

/** A call that the circuit breaker has admitted. */
export interface CircuitPermit {
  readonly isProbe: boolean
}

const ORDINARY_PERMIT: CircuitPermit = { isProbe: false }

/**
 * A circuit breaker. It opens when calls keep failing; after a pause it is half open and admits one pending probe at a
 * time: a successful probe closes it, a failed one opens it for twice as long. Times are those of `elapsedMs`.
 */
export class CircuitBreaker {
  private consecutiveFailures = 0
  /** One bit for each recent call, the newest lowest; set when it failed. */
  private recentCalls = 0
  private openUntilMs: number | undefined
  private pauseMs = FIRST_PAUSE_MS
  /** The latest probe while its response is pending. */
  private probe: CircuitPermit | undefined

  state(nowMs: number): CircuitState {
    if (this.openUntilMs === undefined) return 'closed'
    return nowMs < this.openUntilMs || this.probe ? 'open' : 'half-open'
  }

  /** A call made although the circuit is open, for lack of a better channel, is a probe too. */
  acquire(nowMs: number): CircuitPermit {
    if (this.state(nowMs) === 'closed') return ORDINARY_PERMIT
    this.probe = { isProbe: true }
    return this.probe
  }

  /** Calls that began before the circuit opened do not close it. */
  recordSuccess({ isProbe }: CircuitPermit): void {
    if (this.openUntilMs === undefined) this.recordCall(true)
    else if (isProbe) this.reset()
  }

  /** Once a failed probe has opened the circuit again, other failures of the same pause do not lengthen it. */
  recordFailure(permit: CircuitPermit, nowMs: number): void {
    this.releaseProbe(permit)
    if (this.openUntilMs === undefined) {
      this.recordCall(false)
      if (this.isFailing()) this.open(nowMs, FIRST_PAUSE_MS)
    } else if (permit.isProbe && nowMs >= this.openUntilMs)
      this.open(nowMs, Math.min(this.pauseMs * 2, PAUSE_MS_MAX))
  }

  /** Admits the next probe: this one's response has begun and may be long, or it ended without a result. */
  releaseProbe(permit: CircuitPermit): void {
    if (this.probe === permit) this.probe = undefined
  }

  private recordCall(isSuccess: boolean): void {
    this.consecutiveFailures = isSuccess ? 0 : this.consecutiveFailures + 1
    this.recentCalls = ((this.recentCalls << 1) | (isSuccess ? 0 : 1)) & RECENT_CALLS_MASK
  }

  private isFailing(): boolean {
    return (
      this.consecutiveFailures >= CONSECUTIVE_FAILURES_MAX ||
      countBits(this.recentCalls) >= RECENT_FAILURES_MAX
    )
  }

  private open(nowMs: number, pauseMs: number): void {
    this.probe = undefined
    this.pauseMs = pauseMs
    this.openUntilMs = nowMs + pauseMs
  }

  private reset(): void {
    this.consecutiveFailures = 0
    this.recentCalls = 0
    this.openUntilMs = undefined
    this.pauseMs = FIRST_PAUSE_MS
    this.probe = undefined
  }
}

function countBits(bits: number): number {
  let count = 0
  // Each step clears the lowest set bit.
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}
