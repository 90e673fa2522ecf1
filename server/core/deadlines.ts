import { elapsedMs } from './clock.ts'

/** Calls `pass` once so many milliseconds after `nowMs`, unless the deadline is dropped before. */
export function setDeadline(ms: number, pass: () => void, nowMs = elapsedMs()): Deadline {
  const deadlines = byLength.get(ms) ?? new DeadlinesOfOneLength(ms)
  byLength.set(ms, deadlines)
  return deadlines.add(pass, nowMs)
}

/** A place in the ring of all deadlines of one length. Alone it is a ring of its own. */
export class Deadline {
  readonly atMs: number
  readonly pass: () => void
  private before: Deadline = this
  private after: Deadline = this

  constructor(atMs: number, pass: () => void) {
    this.atMs = atMs
    this.pass = pass
  }

  /** What was waited for has come. A second call does nothing. */
  drop(): void {
    this.before.after = this.after
    this.after.before = this.before
    this.before = this
    this.after = this
  }

  putBefore(other: Deadline): void {
    this.before = other.before
    this.after = other
    other.before.after = this
    other.before = this
  }

  next(): Deadline {
    return this.after
  }
}

/**
 * Deadlines of one length pass in the order in which they were set, so one timer that looks at the first serves all.
 * Nearly every deadline is dropped: to link one in and out costs a small part of a timer of its own.
 */
class DeadlinesOfOneLength {
  private readonly lengthMs: number
  /** The first deadline stands after it and the last before it. It never passes. */
  private readonly ends = new Deadline(Number.POSITIVE_INFINITY, () => undefined)
  private isWatched = false

  constructor(lengthMs: number) {
    this.lengthMs = lengthMs
  }

  add(pass: () => void, nowMs: number): Deadline {
    const deadline = new Deadline(nowMs + this.lengthMs, pass)
    deadline.putBefore(this.ends)
    if (!this.isWatched) this.watch(this.lengthMs)
    return deadline
  }

  private watch(ms: number): void {
    this.isWatched = true
    setTimeout(() => this.passDue(), Math.ceil(ms)).unref()
  }

  private passDue(): void {
    const now = elapsedMs()
    this.isWatched = false
    while (this.ends.next().atMs <= now) {
      const due = this.ends.next()
      due.drop()
      due.pass()
    }
    const next = this.ends.next()
    if (next !== this.ends && !this.isWatched) this.watch(next.atMs - now)
  }
}

/** The lengths are the program's few timeouts, so the map stays small. */
const byLength = new Map<number, DeadlinesOfOneLength>()
