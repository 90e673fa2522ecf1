import type { Failure } from '../../provider-kit/failure.ts'
import type { Provider } from '../../provider-kit/provider.ts'
import type { Candidate } from '../routing/route.ts'

/** One try of one channel, for the receipt. */
export interface AttemptTrace {
  readonly channelId: number
  readonly channelName: string
  /** Of the answer, or what the failure means; 0 when the vendor was not asked. */
  readonly status: number
  readonly ms: number
  readonly code?: string
  /** For those who watch; not in the receipt. Undefined when the vendor was not asked. */
  readonly asked?: AskedVendor
}

export interface AskedVendor {
  readonly provider: Provider
  /** The name that was sent. */
  readonly model: string
  /** On the clock of `elapsedMs`. */
  readonly startedMs: number
  /** Of this try in the request's trace; undefined while nobody asked for traces. */
  readonly spanId: string | undefined
}

/** How it came to an answer, or to none. */
export interface RouteTrace {
  /** In the order of trial, with what spoke against them at first. */
  readonly candidates: readonly Candidate[]
  readonly attempts: readonly AttemptTrace[]
}

/** No channel answered. Holds the last failure and every try. */
export class AttemptsFailed extends Error {
  override readonly name = 'AttemptsFailed'
  readonly failure: Failure
  readonly trace: RouteTrace

  constructor(failure: Failure, trace: RouteTrace) {
    super(failure.message)
    this.failure = failure
    this.trace = trace
  }
}
