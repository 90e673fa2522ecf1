/** Calls that fell silent, one after the other or at once, from which on a channel is suspect. */
const SILENT_CALLS = 3
/** So much longer than its slowest lately a call of the channel may wait. */
const TIMES_SLOWEST = 3
const PATIENCE_MS_LEAST = 1000
/** How fast the slowest lately is forgotten, a call at a time. */
const FORGOTTEN_SHARE = 0.05
/** Calls that may wait for the first word ever heard of a channel; when they have ended without it, one at a time. */
const UNHEARD_CALLS = 5

/** What is waited for: a stream says something soon, a whole answer comes when the model has finished. */
export type CallKind = 'stream' | 'whole'

/** Where nothing was heard of the kind yet. */
const PATIENCE_MS: Readonly<Record<CallKind, number>> = { stream: 10_000, whole: 60_000 }

/** A call that waits for the headers of its answer. */
export interface UnheardCall {
  readonly kind: CallKind
  readonly sinceMs: number
}

/**
 * Whether a channel takes requests and says nothing. A call is silent when it waited longer than patience allows, counted
 * from its beginning or from when the channel was last heard, whichever is later. `waiting`: the oldest first.
 */
export function hasFallenSilent(
  waiting: Iterable<UnheardCall>,
  { lost, heardMs, patienceMs, nowMs }: Heard,
): boolean {
  let silent = lost
  for (const { sinceMs } of waiting) {
    if (silent >= SILENT_CALLS || nowMs - Math.max(sinceMs, heardMs) <= patienceMs) break
    silent += 1
  }
  return silent >= SILENT_CALLS
}

interface Heard {
  /** Calls that ended after such a wait since the channel was last heard. */
  readonly lost: number
  readonly heardMs: number
  readonly patienceMs: number
  readonly nowMs: number
}

/**
 * Notices a channel that takes requests and stays silent long before their deadlines do. A suspect has one call at a time
 * to clear itself; the first word of any does. Times are those of `elapsedMs`.
 */
export class Silence {
  /** In the order of their beginning. */
  private readonly waiting: Readonly<Record<CallKind, Set<UnheardCall>>> = {
    stream: new Set(),
    whole: new Set(),
  }
  private readonly slowestMs: Partial<Record<CallKind, number>> = {}
  private heardMs: number | undefined
  /** Calls that ended unheard since it was heard last, and how many of them after too long a wait. */
  private ended = 0
  private lost = 0
  private isSuspect = false

  begin(kind: CallKind, nowMs: number): UnheardCall {
    const call = { kind, sinceMs: nowMs }
    this.waiting[kind].add(call)
    return call
  }

  /** Headers came, whatever they say. */
  hear(call: UnheardCall, nowMs: number): void {
    if (!this.waiting[call.kind].delete(call)) return
    const tookMs = nowMs - call.sinceMs
    const slowestMs = this.slowestMs[call.kind] ?? 0
    this.slowestMs[call.kind] = Math.max(tookMs, slowestMs + (tookMs - slowestMs) * FORGOTTEN_SHARE)
    this.heardMs = nowMs
    this.ended = 0
    this.lost = 0
    this.isSuspect = false
  }

  /** The call ended before anything was heard: its deadline passed, its client left, its connection broke. */
  leave(call: UnheardCall, nowMs: number): void {
    if (!this.waiting[call.kind].delete(call)) return
    this.ended += 1
    const { heardMs = Number.NEGATIVE_INFINITY } = this
    if (nowMs - Math.max(call.sinceMs, heardMs) > this.patienceMs(call.kind)) this.lost += 1
  }

  /** What speaks against one more call. */
  obstacle(nowMs: number): 'silent' | 'not heard yet' | undefined {
    const { stream, whole } = this.waiting
    const count = stream.size + whole.size
    if (count === 0) return undefined
    this.isSuspect ||= this.isSilent('stream', nowMs) || this.isSilent('whole', nowMs)
    if (this.isSuspect) return 'silent'
    return this.heardMs === undefined && count + this.ended >= UNHEARD_CALLS ? 'not heard yet' : undefined
  }

  private isSilent(kind: CallKind, nowMs: number): boolean {
    const { lost, heardMs = Number.NEGATIVE_INFINITY } = this
    const patienceMs = this.patienceMs(kind)
    return hasFallenSilent(this.waiting[kind], { lost, heardMs, patienceMs, nowMs })
  }

  private patienceMs(kind: CallKind): number {
    const slowestMs = this.slowestMs[kind]
    return slowestMs === undefined
      ? PATIENCE_MS[kind]
      : Math.max(PATIENCE_MS_LEAST, slowestMs * TIMES_SLOWEST)
  }
}
