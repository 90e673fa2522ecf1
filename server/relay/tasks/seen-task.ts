import { GatewayError } from '../../core/errors.ts'
import { NO_USAGE } from '../../core/usage.ts'
import type { Outcome } from '../billing/usage-to-charge.ts'
import type { Caller } from '../request/caller.ts'
import { fetchOf, submissionOf } from '../telemetry/gen-ai-names.ts'
import type { SeenOrder } from '../telemetry/observer.ts'
import type { TaskArrival, TaskOrder } from './order-task.ts'
import type { TaskPlatform } from './platform.ts'
import { TaskRefusal } from './task-refusal.ts'

interface Fetching {
  readonly arrival: TaskArrival
  readonly caller: Caller
  readonly platform: TaskPlatform
}

/** A submission as those who watch see it. */
export const seenTask = ({
  requestId,
  caller,
  platform,
  model,
  startedMs,
  traceContext,
}: TaskOrder): SeenOrder => ({
  requestId,
  caller,
  operation: { name: submissionOf(platform.name) },
  model,
  isStream: false,
  startedMs,
  traceContext,
})

/** A client asks how its tasks are going. */
export const seenFetch = ({ arrival, caller, platform }: Fetching): SeenOrder => ({
  ...arrival,
  caller,
  operation: { name: fetchOf(platform.name) },
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
export const seenError = (thrown: unknown): unknown =>
  thrown instanceof TaskRefusal
    ? new GatewayError('invalid_request', thrown.message, { cause: thrown, status: thrown.status })
    : thrown
