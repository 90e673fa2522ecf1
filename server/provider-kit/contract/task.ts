import { asCount } from '../json.ts'
import type { JsonObject } from './chat.ts'
import type { OperationAdapter } from './operation-adapter.ts'

/** How clients of a task speak, and what their addresses begin with. Stored with each task. */
export type TaskPlatformName = 'mj' | 'suno'

/** The type of a failure whose code is the vendor's own word for why it does not take a task. */
export const TASK_REJECTED = 'task_refused'

/** What is asked of a vendor that finishes later. */
export interface TaskBody {
  /** Below the base URL, beginning with a slash. */
  readonly path: string
  /** As the client sent it, with what the gateway had to change. */
  readonly json: JsonObject
}

/** How far a task is, as its vendor tells it. */
export interface TaskState {
  readonly taskId: string
  readonly outcome: 'open' | 'succeeded' | 'failed'
  /** The vendor's own word. */
  readonly status: string
  /** A percentage, for example `46%`. */
  readonly progress: string
  readonly failReason: string
  /** Milliseconds since 1970; 0 where the vendor does not say. */
  readonly submitTimeMs: number
  readonly startTimeMs: number
  readonly finishTimeMs: number
  /** What else the platform's clients are shown; undefined where nothing was told of it. */
  readonly detail: unknown
}

/** What a vendor answers to a submission. */
export interface TaskSubmitResult {
  readonly isAccepted: boolean
  /** The vendor's own code; 0 where it has none. */
  readonly code: number
  readonly description: string
  /** The task as it stands at once. */
  readonly state: TaskState
  /** It was submitted before: nothing is done again. */
  readonly isRepeat: boolean
  /** No account of the vendor's is left to do the work: reason to disable the channel. */
  readonly hasNoAccount: boolean
  /** The answer as the client is to read it. */
  readonly json: JsonObject
}

/** Work that a vendor takes now and finishes minutes later. */
export interface TaskAdapter {
  readonly platform: TaskPlatformName
  readonly submit: OperationAdapter<TaskBody, TaskSubmitResult>
  /** `body` are the vendor's ids; those that it does not know are missing in the reply. */
  readonly poll: OperationAdapter<readonly string[], readonly TaskState[]>
  /** Reads what the vendor sends by itself when a task moves. Undefined for anything else. */
  readonly readNotice?: (json: unknown) => TaskState | undefined
  /** Asks for the seed of a finished picture; `body` is the task's id, the reply is the vendor's own answer. */
  readonly imageSeed?: OperationAdapter<string, JsonObject>
}

/** The last moment that a date can name. */
const TIME_MS_MAX = 8_640_000_000_000_000

/** A vendor's time in milliseconds since 1970; 0 where it tells none, or none that can be. */
export function taskTime(value: unknown, msPerUnit: number): number {
  const ms = asCount(value) * msPerUnit
  return ms <= TIME_MS_MAX ? ms : 0
}
