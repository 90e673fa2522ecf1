import { elapsedMs } from './clock.ts'

/**
 * Calls `onExpiry` once, `ms` milliseconds after `nowMs`, unless the timer is cancelled first.
 *
 * Timers of one duration expire in the order in which they start, so one runtime timer serves the whole list. Nearly
 * every timer is cancelled, and linking a list entry in and out costs a fraction of a `setTimeout`.
 */
export function startTimer(ms: number, onExpiry: () => void, nowMs = elapsedMs()): Timer {
  const timers = listByDuration.get(ms) ?? new TimerList(ms)
  listByDuration.set(ms, timers)
  return timers.add(onExpiry, nowMs)
}

/** An entry in the doubly linked ring of all timers of one duration. A cancelled timer is a ring of its own. */
export class Timer {
  readonly expiresAtMs: number
  readonly onExpiry: () => void
  private previousTimer: Timer = this
  private nextTimer: Timer = this

  constructor(expiresAtMs: number, onExpiry: () => void) {
    this.expiresAtMs = expiresAtMs
    this.onExpiry = onExpiry
  }

  /** Keeps the timer from expiring. Calling it again has no effect. */
  cancel(): void {
    this.previousTimer.nextTimer = this.nextTimer
    this.nextTimer.previousTimer = this.previousTimer
    this.previousTimer = this
    this.nextTimer = this
  }

  insertBefore(other: Timer): void {
    this.previousTimer = other.previousTimer
    this.nextTimer = other
    other.previousTimer.nextTimer = this
    other.previousTimer = this
  }

  next(): Timer {
    return this.nextTimer
  }
}

class TimerList {
  private readonly durationMs: number
  /** Sentinel of the ring: the first timer follows it, the last one precedes it. It never expires. */
  private readonly sentinel = new Timer(Number.POSITIVE_INFINITY, () => undefined)
  private isScheduled = false

  constructor(durationMs: number) {
    this.durationMs = durationMs
  }

  add(onExpiry: () => void, nowMs: number): Timer {
    const timer = new Timer(nowMs + this.durationMs, onExpiry)
    timer.insertBefore(this.sentinel)
    if (!this.isScheduled) this.schedule(this.durationMs)
    return timer
  }

  private schedule(ms: number): void {
    this.isScheduled = true
    setTimeout(() => this.expireDue(), Math.ceil(ms)).unref()
  }

  private expireDue(): void {
    const now = elapsedMs()
    this.isScheduled = false
    while (this.sentinel.next().expiresAtMs <= now) {
      const due = this.sentinel.next()
      due.cancel()
      due.onExpiry()
    }
    const next = this.sentinel.next()
    // A callback may have started a timer of the same duration and scheduled the list already.
    if (next !== this.sentinel && !this.isScheduled) this.schedule(next.expiresAtMs - now)
  }
}

/** Stays small: the durations are the program's few timeouts. */
const listByDuration = new Map<number, TimerList>()
