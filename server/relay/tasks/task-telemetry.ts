import { NO_USAGE } from '../../core/usage.ts'
import { type ObservedRequest, pollOperation } from '../telemetry/observer.ts'
import type { Caller, Outcome, RequestArrival } from '../types.ts'
import type { TaskPlatform } from './platform.ts'

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
