import { GatewayError } from '../../kernel/errors.ts'
import type { Adapted } from '../adapt.ts'
import { AttemptsFailed, type AttemptTrace, type RouteTrace } from '../attempts-failed.ts'
import type { Order } from '../order.ts'
import type { Ending, Outcome } from '../outcome.ts'
import type { TraceContext } from './trace-context.ts'

/** A request whose answer began, once it has ended and is charged. */
export interface AnsweredRequest {
  readonly order: Order
  readonly trace: RouteTrace
  readonly adapted: Adapted
  readonly outcome: Outcome
  /** Before the charge; on the clock of `elapsedMs`. */
  readonly endedMs: number
}

/** A request that no answer began for. */
export interface FailedRequest {
  readonly order: Order
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

/** Is told of every model request once it is over. Must neither throw nor take long: the request's way goes through it. */
export interface Watch {
  answered(request: AnsweredRequest): void
  failed(request: FailedRequest): void
  refused(request: RefusedRequest): void
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
})

const ERROR_OF_ENDING: Readonly<Record<Ending, string | undefined>> = {
  complete: undefined,
  'client-left': 'client_left',
  'upstream-broke': 'upstream_broke',
  'quota-spent': 'quota_spent',
}

/** What went wrong with an answer that began, from a small closed set. */
export const errorOfEnding = (ending: Ending): string | undefined => ERROR_OF_ENDING[ending]

/** Why no answer began, from a small closed set: our own code, or a vendor's status. Vendors' codes are their own words. */
export function errorOfFailure(error: unknown): string {
  if (error instanceof AttemptsFailed) return String(error.failure.status)
  return error instanceof GatewayError ? error.code : 'internal_error'
}

/** The tries of a request that failed. */
export const attemptsOf = (error: unknown): readonly AttemptTrace[] =>
  error instanceof AttemptsFailed ? error.trace.attempts : []
