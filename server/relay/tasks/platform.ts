import type { TaskRow } from '../../db/system/tasks.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { Failure } from '../../provider-kit/contract/operation-adapter.ts'
import type { TaskPlatformName } from '../../provider-kit/contract/task.ts'
import type { TaskSettings } from '../types.ts'
import type { TaskRefusal } from './task-refusal.ts'

/** What a client wants to have done. */
export interface TaskDraft {
  readonly action: string
  /** The name by which it is priced, allowed and routed. */
  readonly model: string
  /** For the lists; empty where it goes on from a task that has one. */
  readonly prompt: string
  /** Of the vendor, below its base URL. */
  readonly path: string
  readonly json: JsonObject
  /** The task that this one goes on from: it must be the caller's own, and its channel does the work. */
  readonly origin: TaskOrigin | undefined
}

export interface TaskOrigin {
  readonly taskId: string
  readonly mustBeFinished: boolean
}

/** What was asked for, still unread. */
export interface AskedTask {
  /** What the address says: `imagine`, `music`. */
  readonly kind: string
  readonly json: JsonObject
}

export interface ReadingSettings extends TaskSettings {
  /** Whether the administrator gave the model a price. */
  readonly isPriced: (model: string) => boolean
  /** An address for the vendor to call back, signed for this task. */
  readonly noticeAddress: string
}

/** How one kind of client asks for tasks, and is answered. */
export interface TaskPlatform {
  readonly name: TaskPlatformName
  readonly isOpen: (settings: TaskSettings) => boolean
  /** Whether a submission that failed may be tried on another channel. */
  readonly isRetried: boolean
  /** Throws TaskRefusal for what cannot be understood. */
  readonly read: (asked: AskedTask, settings: ReadingSettings) => TaskDraft
  /** What clients know it by that the vendor failed. */
  readonly wordOfFailure: (failure: Failure) => string
  readonly writeRefusal: (refusal: TaskRefusal) => Response
  /** What stands around a task or a list of them in an answer. */
  readonly wrap: (tasks: unknown) => unknown
  readonly writeTask: (row: TaskRow, settings: TaskSettings) => JsonObject
  /** What clients are told when their task is not there. */
  readonly unknownTask: string
  readonly originRefusals: {
    readonly unknown: string
    readonly unfinished: string
    readonly noChannel: string
    readonly disabled: string
  }
}
