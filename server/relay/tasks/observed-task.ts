import { GatewayError } from '../../core/errors.ts'
import { NO_USAGE } from '../../core/usage.ts'
import { type ObservedRequest, pollOperation, submitOperation } from '../telemetry/observer.ts'
import type { Caller, Outcome, RequestArrival } from '../types.ts'
import type { TaskRequest } from './parse-task-request.ts'
import type { TaskPlatform } from './platform.ts'
import { TaskRefusal } from './task-refusal.ts'

interface Fetching {
  readonly arrival: RequestArrival
  readonly caller: Caller
  readonly platform: TaskPlatform
}

/** A submission as those who watch see it. */
export const toObservedTask = ({
  requestId,
  caller,
  platform,
  model,
  startedMs,
  traceContext,
}: TaskRequest): ObservedRequest => ({
  requestId,
  caller,
  operation: { name: submitOperation(platform.name) },
  model,
  isStream: false,
  startedMs,
  traceContext,
})

/** A client asks how its tasks are going. */
export const toObservedLookup = ({ arrival, caller, platform }: Fetching): ObservedRequest => ({
  ...arrival,
  caller,
  operation: { name: pollOperation(platform.name) },
  model: '',
  isStream: false,
})

/** It is priced by the call and charged when it is finished, so nothing is counted here. */
export const TASK_OUTCOME: Outcome = {
  ending: 'complete',
  usage: NO_USAGE,
  provenance: 'free',
  firstOutputMs: undefined,
}

/** The words of a platform's clients are many; to those who watch they are all one refusal. */
export const toObservedError = (thrown: unknown): unknown =>
  thrown instanceof TaskRefusal
    ? new GatewayError('invalid_request', thrown.message, { cause: thrown, status: thrown.status })
    : thrown
