import { GatewayError } from '../../core/errors.ts'
import { textsOf } from '../../core/language.ts'
import { NO_USAGE } from '../../core/usage.ts'
import { type ObservedRequest, pollOperation, submitOperation } from '../telemetry/observer.ts'
import type { Caller, Outcome, RequestArrival } from '../types.ts'
import { TaskError, type TaskPlatform, type TaskRequest } from './platform.ts'

/** A submission as telemetry sees it. */
export const toObservedTask = (request: TaskRequest): ObservedRequest => ({
  requestId: request.requestId,
  caller: request.caller,
  operation: { name: submitOperation(request.platform.name) },
  model: request.model,
  isStream: false,
  startedMs: request.startedMs,
  traceContext: request.traceContext,
})

interface TaskLookup {
  readonly arrival: RequestArrival
  readonly caller: Caller
  readonly platform: TaskPlatform
}

/** A client's query for its own tasks as telemetry sees it. */
export const toObservedLookup = ({ arrival, caller, platform }: TaskLookup): ObservedRequest => ({
  ...arrival,
  caller,
  operation: { name: pollOperation(platform.name) },
  model: '',
  isStream: false,
})

/** No usage: a task is priced per call, and charged only when it finishes. */
export const TASK_OUTCOME: Outcome = {
  ending: 'complete',
  usage: NO_USAGE,
  provenance: 'free',
  firstOutputMs: undefined,
}

/** Platforms have many error codes of their own. Telemetry reports them all as `invalid_request`. */
export const toObservedError = (error: unknown): unknown =>
  error instanceof TaskError
    ? new GatewayError('invalid_request', textsOf(error), { cause: error, status: error.status })
    : error
