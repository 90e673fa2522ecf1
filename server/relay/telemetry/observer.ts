import { GatewayError } from '../../core/errors.ts'
import type { Ending, Outcome } from '../billing/usage-to-charge.ts'
import type { Caller } from '../request/caller.ts'
import type { RoutedChannel } from '../routing/routed-channel.ts'
import { AttemptsFailed, type AttemptTrace, type RouteTrace } from '../upstream/attempts.ts'
import type { SeenOperation } from './gen-ai-names.ts'
import type { TraceContext } from './trace-context.ts'

/** What is seen of a request, whichever pipeline it went through. */
export interface SeenOrder {
  readonly requestId: string
  readonly caller: Caller
  readonly operation: { readonly name: SeenOperation }
  /** Empty: it is for no model. */
  readonly model: string
  readonly maxOutputTokens?: number | undefined
  readonly isStream: boolean
  /** On the clock of `elapsedMs`. */
  readonly startedMs: number
  readonly traceContext: TraceContext | undefined
}

/** Who answered. */
interface Answering {
  readonly channel: Pick<RoutedChannel, 'provider'>
  readonly upstreamModel: string
}

/** A request whose answer began, once it has ended and is charged. */
export interface AnsweredRequest {
  readonly order: SeenOrder
  readonly trace: Pick<RouteTrace, 'attempts'>
  /** Absent: it was answered from what is stored here. */
  readonly adapted?: Answering
  readonly outcome: Outcome
  /** Before the charge; on the clock of `elapsedMs`. */
  readonly endedMs: number
}

/** A request that no answer began for. */
export interface FailedRequest {
  readonly order: SeenOrder
  readonly error: unknown
}

/** What was not even understood as a request for a model, or not allowed to be one. */
export interface RefusedRequest {
  readonly requestId: string
  /** On the clock of `elapsedMs`. */
  readonly startedMs: number
  readonly traceContext: TraceContext | undefined
  readonly error: unknown
}

/** A vendor was asked how tasks are going. No client waits for that. */
export interface VendorPoll {
  readonly operation: SeenOperation
  readonly channel: Pick<RoutedChannel, 'id' | 'name' | 'provider'>
  /** On the clock of `elapsedMs`. */
  readonly startedMs: number
  readonly traceContext: TraceContext | undefined
  /** Undefined: it told. */
  readonly failedStatus: number | undefined
}

/** Is told of every model request once it is over. Must neither throw nor take long: the request's way goes through it. */
export interface Watch {
  answered(request: AnsweredRequest): void
  failed(request: FailedRequest): void
  refused(request: RefusedRequest): void
  polled(poll: VendorPoll): void
}

/** Tells several. */
export const watchTogether = (watches: readonly Watch[]): Watch => ({
  answered(request) {
    for (const watch of watches) watch.answered(request)
  },
  failed(request) {
    for (const watch of watches) watch.failed(request)
  },
  refused(request) {
    for (const watch of watches) watch.refused(request)
  },
  polled(poll) {
    for (const watch of watches) watch.polled(poll)
  },
})

const ERROR_OF_ENDING: Readonly<Record<Ending, string | undefined>> = {
  complete: undefined,
  'client-left': 'client_left',
  'upstream-broke': 'upstream_broke',
  'quota-spent': 'quota_spent',
  'storage-failed': 'storage_failed',
}

/** What went wrong with an answer that began, from a small closed set. */
export const errorOfEnding = (ending: Ending): string | undefined => ERROR_OF_ENDING[ending]

/** What of it is the affair of the vendor who answered: that its answer broke off, not that nobody wanted its end. */
export const errorOfVendor = (ending: Ending): string | undefined =>
  ending === 'upstream-broke' ? errorOfEnding(ending) : undefined

/** Why no answer began, from a small closed set: our own code, or a vendor's status. Vendors' codes are their own words. */
export function errorOfFailure(error: unknown): string {
  if (error instanceof AttemptsFailed) return String(error.failure.status)
  return error instanceof GatewayError ? error.code : 'internal_error'
}

/** The tries of a request that failed. */
export const attemptsOf = (error: unknown): readonly AttemptTrace[] =>
  error instanceof AttemptsFailed ? error.trace.attempts : []
