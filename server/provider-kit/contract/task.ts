import { asCount, type JsonObject } from '../json.ts'
import type { OperationAdapter } from './operation-adapter.ts'

/** The client-side API of a task, which is also the prefix of its URLs. Stored with each task. */
export type TaskPlatformName = 'mj' | 'suno'

/** The type of a failure whose code is the provider's own reason for rejecting a task. */
export const TASK_REJECTED = 'task_refused'

/** Body of a request to an asynchronous provider. */
export interface TaskBody {
  /** Below the base URL, beginning with a slash. */
  readonly path: string
  /** The client's body, with the changes that the gateway had to make. */
  readonly json: JsonObject
}

/** The progress of a task as the provider reports it. */
export interface TaskState {
  readonly taskId: string
  readonly outcome: 'open' | 'succeeded' | 'failed'
  /** The provider's own status. */
  readonly status: string
  /** A percentage, for example `46%`. */
  readonly progress: string
  readonly failReason: string
  /** Milliseconds since 1970; 0 where the provider does not tell. */
  readonly submitTimeMs: number
  readonly startTimeMs: number
  readonly finishTimeMs: number
  /** Further fields that the platform shows to clients. Undefined where the provider reported none. */
  readonly detail: unknown
}

/** The provider's response to a submission. */
export interface TaskSubmitResult {
  readonly isAccepted: boolean
  /** The provider's own code; 0 where it has none. */
  readonly code: number
  readonly description: string
  /** The state of the task at the time of submission. */
  readonly state: TaskState
  /** The task had been submitted before, so nothing runs again. */
  readonly isRepeat: boolean
  /** The provider has no account left to run the task, which is a reason to disable the channel. */
  readonly hasNoAccount: boolean
  /** The response as the client is to see it. */
  readonly json: JsonObject
}

/** Asynchronous jobs of one provider: submission, polling and notifications. */
export interface TaskAdapter {
  readonly platform: TaskPlatformName
  readonly submit: OperationAdapter<TaskBody, TaskSubmitResult>
  /** `body` lists the provider's task ids. Unknown ids are missing from the reply. */
  readonly poll: OperationAdapter<readonly string[], readonly TaskState[]>
  /** Parses a webhook notification about a task. Undefined for any other JSON. */
  readonly readNotification?: (json: unknown) => TaskState | undefined
  /** Requests the seed of a finished image. `body` is the task id; the reply is the provider's own JSON. */
  readonly imageSeed?: OperationAdapter<string, JsonObject>
}

/** The latest time that a Date can represent. */
const TIME_MS_MAX = 8_640_000_000_000_000

/** Converts a provider's time to milliseconds since 1970. 0 where it is missing or out of range. */
export function toTaskTimeMs(value: unknown, msPerUnit: number): number {
  const ms = asCount(value) * msPerUnit
  return ms <= TIME_MS_MAX ? ms : 0
}
