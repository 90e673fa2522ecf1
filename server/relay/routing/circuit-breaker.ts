/** Failures one after the other that open a circuit. */
const FAILURES_TO_OPEN = 5
/** Or so many among the last twenty calls. */
const FAILURES_AMONG_LAST = 10
/** Twenty bits, one for each call. */
const LAST_CALLS = 0xfffff
const FIRST_PAUSE_MS = 5000
const PAUSE_MS_MAX = 120_000

export type CircuitState = 'closed' | 'open' | 'half-open'

/** A call that a circuit let through. */
export interface Pass {
  readonly isProbe: boolean
}

const ORDINARY: Pass = { isProbe: false }

/**
 * A circuit breaker. Closed, every call goes. It opens when calls keep failing; after a pause it is half open and lets
 * one probe wait for its answer at a time: a good end of one closes it, a bad one opens it for twice as long. Times are
 * those of `elapsedMs`.
 */
export class Circuit {
  private failuresOnEnd = 0
  /** A bit for each call, the newest lowest; set: it failed. */
  private lastCalls = 0
  private openUntilMs: number | undefined
  private pauseMs = FIRST_PAUSE_MS
  /** The last that went, while its answer is awaited. */
  private probe: Pass | undefined

  state(nowMs: number): CircuitState {
    if (this.openUntilMs === undefined) return 'closed'
    return nowMs < this.openUntilMs || this.probe ? 'open' : 'half-open'
  }

  /** A call that is made although the circuit is open, for want of a better channel, is a probe too. */
  begin(nowMs: number): Pass {
    if (this.state(nowMs) === 'closed') return ORDINARY
    this.probe = { isProbe: true }
    return this.probe
  }

  /** What began before the circuit opened has no say in whether it closes. */
  succeed({ isProbe }: Pass): void {
    if (this.openUntilMs === undefined) this.remember(true)
    else if (isProbe) this.reset()
  }

  /** Once one bad probe has opened it again, those that fail with it say nothing new. */
  fail(pass: Pass, nowMs: number): void {
    this.makeRoom(pass)
    if (this.openUntilMs === undefined) {
      this.remember(false)
      if (this.isFailing()) this.open(nowMs, FIRST_PAUSE_MS)
    } else if (pass.isProbe && nowMs >= this.openUntilMs)
      this.open(nowMs, Math.min(this.pauseMs * 2, PAUSE_MS_MAX))
  }

  /** The call is no longer waited for: its answer has begun and may be long, or it ended without saying anything. */
  makeRoom(pass: Pass): void {
    if (this.probe === pass) this.probe = undefined
  }

  private remember(isGood: boolean): void {
    this.failuresOnEnd = isGood ? 0 : this.failuresOnEnd + 1
    this.lastCalls = ((this.lastCalls << 1) | (isGood ? 0 : 1)) & LAST_CALLS
  }

  private isFailing(): boolean {
    return this.failuresOnEnd >= FAILURES_TO_OPEN || bitsSetIn(this.lastCalls) >= FAILURES_AMONG_LAST
  }

  private open(nowMs: number, pauseMs: number): void {
    this.probe = undefined
    this.pauseMs = pauseMs
    this.openUntilMs = nowMs + pauseMs
  }

  private reset(): void {
    this.failuresOnEnd = 0
    this.lastCalls = 0
    this.openUntilMs = undefined
    this.pauseMs = FIRST_PAUSE_MS
    this.probe = undefined
  }
}

function bitsSetIn(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}
