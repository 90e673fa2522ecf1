/** Stalled calls, in a row or at the same time, that make a channel suspect. */
const STALLED_CALLS_MAX = 3
/** A call stalls when it waits this many times longer than the slowest recent one. */
const SLOWEST_MULTIPLE = 3
const TIMEOUT_MS_MIN = 1000
/** How much each faster call lowers the slowest recent time, as a share of the difference. */
const DECAY_PER_CALL = 0.05
/** Calls that may wait for the very first response of a channel. After that many failed, one at a time. */
const UNPROVEN_CALLS_MAX = 5

/** Streams respond soon; a JSON response comes when the model has finished. */
export type CallKind = 'stream' | 'json'

/** Applies until the first response of the kind. */
const INITIAL_TIMEOUT_MS: Readonly<Record<CallKind, number>> = { stream: 10_000, json: 60_000 }

/** A call that waits for response headers. */
export interface PendingCall {
  readonly kind: CallKind
  readonly sinceMs: number
}

/**
 * Detects a channel that accepts requests but does not respond, long before their deadlines pass. A suspect channel gets
 * one call at a time; any response clears it. Times are those of `elapsedMs`.
 */
export class StallDetector {
  /** Oldest first. */
  private readonly pending: Readonly<Record<CallKind, Set<PendingCall>>> = {
    stream: new Set(),
    json: new Set(),
  }
  private readonly slowestMs: Partial<Record<CallKind, number>> = {}
  private lastByteAtMs: number | undefined
  /** Calls that ended without a response since the last one. */
  private abandonedCalls = 0
  /** How many of the abandoned calls waited longer than the timeout. */
  private stalledCalls = 0
  private isSuspect = false
  /** Calls that were decided on and are not sent yet. */
  private unsentCalls = 0

  /** A call is decided on. It counts until `begin` or `release`, so that no other is decided on meanwhile. */
  reserve(): void {
    this.unsentCalls += 1
  }

  release(): void {
    this.unsentCalls -= 1
  }

  begin(kind: CallKind, nowMs: number): PendingCall {
    const call = { kind, sinceMs: nowMs }
    this.pending[kind].add(call)
    return call
  }

  /** Response headers arrived, with any status. */
  recordFirstByte(call: PendingCall, nowMs: number): void {
    if (!this.pending[call.kind].delete(call)) return
    const tookMs = nowMs - call.sinceMs
    const slowestMs = this.slowestMs[call.kind] ?? 0
    this.slowestMs[call.kind] = Math.max(tookMs, slowestMs + (tookMs - slowestMs) * DECAY_PER_CALL)
    this.lastByteAtMs = nowMs
    this.abandonedCalls = 0
    this.stalledCalls = 0
    this.isSuspect = false
  }

  /** The call ended without a response: it timed out, its client disconnected, or its connection broke. */
  abandon(call: PendingCall, nowMs: number): void {
    if (!this.pending[call.kind].delete(call)) return
    this.abandonedCalls += 1
    const { lastByteAtMs = Number.NEGATIVE_INFINITY } = this
    if (nowMs - Math.max(call.sinceMs, lastByteAtMs) > this.timeoutMs(call.kind)) this.stalledCalls += 1
  }

  /** Why another call should go to a different channel instead; undefined when it may go to this one. */
  skipReason(nowMs: number): 'silent' | 'not heard yet' | undefined {
    const { stream, json } = this.pending
    const count = this.unsentCalls + stream.size + json.size
    if (count === 0) return undefined
    this.isSuspect ||= this.isKindStalled('stream', nowMs) || this.isKindStalled('json', nowMs)
    if (this.isSuspect) return 'silent'
    const isUnproven = this.lastByteAtMs === undefined
    return isUnproven && count + this.abandonedCalls >= UNPROVEN_CALLS_MAX ? 'not heard yet' : undefined
  }

  private isKindStalled(kind: CallKind, nowMs: number): boolean {
    const { stalledCalls, lastByteAtMs = Number.NEGATIVE_INFINITY } = this
    const timeoutMs = this.timeoutMs(kind)
    return isStalled(this.pending[kind], { stalledCalls, lastByteAtMs, timeoutMs, nowMs })
  }

  private timeoutMs(kind: CallKind): number {
    const slowestMs = this.slowestMs[kind]
    return slowestMs === undefined
      ? INITIAL_TIMEOUT_MS[kind]
      : Math.max(TIMEOUT_MS_MIN, slowestMs * SLOWEST_MULTIPLE)
  }
}

interface StallEvidence {
  /** Calls that ended stalled since the last response. */
  readonly stalledCalls: number
  readonly lastByteAtMs: number
  readonly timeoutMs: number
  readonly nowMs: number
}

/**
 * Whether enough calls have stalled. A call stalls when it waits longer than `timeoutMs`, counted from its start or from
 * the channel's last response, whichever is later. `pending`: oldest first.
 */
export function isStalled(
  pending: Iterable<PendingCall>,
  { stalledCalls, lastByteAtMs, timeoutMs, nowMs }: StallEvidence,
): boolean {
  let stalled = stalledCalls
  for (const { sinceMs } of pending) {
    if (stalled >= STALLED_CALLS_MAX || nowMs - Math.max(sinceMs, lastByteAtMs) <= timeoutMs) break
    stalled += 1
  }
  return stalled >= STALLED_CALLS_MAX
}
