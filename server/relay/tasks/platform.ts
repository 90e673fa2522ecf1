import type { Secrets } from '../../core/crypto.ts'
import { GatewayError } from '../../core/errors.ts'
import { type BothLanguages, sameInBoth } from '../../core/language.ts'
import type { AmountFormat } from '../../core/money.ts'
import type { CachedValue } from '../../db/engine/cached-value.ts'
import type { TaskRow } from '../../db/system/tasks.ts'
import type { Dialects } from '../../dialects/dialects.ts'
import type { SafeFetch } from '../../http-client/safe-fetch.ts'
import type { Send } from '../../http-client/send.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { TaskPlatformName } from '../../provider-kit/contract/task.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import type { FailureLimit } from '../admission/admit.ts'
import type { RelayHooks } from '../hooks.ts'
import type { Tracing } from '../request/trace-context.ts'
import type { AutoDisableDeps } from '../routing/auto-disable.ts'
import type { ChannelDirectory, RoutedChannel } from '../routing/channel-directory.ts'
import type { ObservedRequest, TelemetryDeps } from '../telemetry/observer.ts'
import type { Caller, RelayOptions, RequestArrival, SettingsReader } from '../types.ts'

/** The options for drawing and music tasks. */
export type TaskOptions = Pick<
  RelayOptions,
  | 'DrawingEnabled'
  | 'TaskEnabled'
  | 'MjNotifyEnabled'
  | 'MjAccountFilterEnabled'
  | 'MjModeClearEnabled'
  | 'MjForwardUrlEnabled'
  | 'MjActionCheckSuccessEnabled'
  | 'ServerAddress'
>

/** The API of one kind of task client: how its requests are parsed and its responses written. */
export interface TaskPlatform {
  readonly name: TaskPlatformName
  readonly isEnabled: (options: TaskOptions) => boolean
  /** Whether a failed submission may be retried on another channel. */
  readonly isRetried: boolean
  /** Throws TaskError when the request is invalid. */
  readonly parse: (task: UnparsedTask, options: TaskParseOptions) => TaskDraft
  /** The error code for a failure of the provider. */
  readonly upstreamErrorCode: (failure: Failure) => string
  readonly writeError: (error: WrittenTaskError) => Response
  /** Wraps a task, or a list of tasks, in the platform's response object. */
  readonly wrap: (tasks: unknown) => unknown
  /** The row's texts are in the caller's language. */
  readonly writeTask: (row: TaskRow, options: TaskOptions) => JsonObject
  readonly unknownTaskCode: string
  /** The error codes for a task that cannot be continued. */
  readonly originErrorCodes: {
    readonly unknown: string
    readonly unfinished: string
    readonly noChannel: string
    readonly disabled: string
  }
}

export interface UnparsedTask {
  /** From the path: `imagine`, `music`. */
  readonly kind: string
  readonly json: JsonObject
}

export interface TaskParseOptions extends TaskOptions {
  /** Whether the administrator has set a price for the model. */
  readonly isPriced: (model: string) => boolean
  /** The signed callback URL for this task; empty when the public address is unknown. */
  readonly notificationUrl: string
}

/** A parsed submission. */
export interface TaskDraft {
  readonly action: string
  /** The model name for pricing, permissions and routing. */
  readonly model: string
  /** For task lists. Empty when the task continues another, whose prompt applies. */
  readonly prompt: string
  /** The provider's path, below its base URL. */
  readonly path: string
  /** The client's body without what providers must not receive. */
  readonly clientBody: JsonObject
  /** The task that this one continues. It must be the caller's own, and its channel runs this one too. */
  readonly origin: TaskOrigin | undefined
}

export interface TaskOrigin {
  readonly taskId: string
  readonly mustBeFinished: boolean
}

/** A request to draw or to make music, after parsing. */
export interface TaskRequest extends TaskDraft, RequestArrival {
  readonly caller: Caller
  readonly operation: ObservedRequest['operation']
  readonly isStream: false
  readonly platform: TaskPlatform
  readonly taskPlatform: TaskPlatformName
  /** The requested speed: `fast`, `relax`, `turbo`; otherwise empty. */
  readonly mode: string
  /** The channel of the origin, with the same key: only its account can continue it. */
  readonly originChannel: RoutedChannel | undefined
}

interface TaskErrorOptions {
  readonly cause?: unknown
  /** For platforms whose errors have different HTTP statuses. */
  readonly status?: number
  /** The provider caused the error, not the request. */
  readonly isFromUpstream?: boolean
}

/** A platform's error body, in the caller's language. */
export type WrittenTaskError = Pick<TaskError, 'taskCode' | 'message' | 'status' | 'isFromUpstream'>

const NO_TEXT = sameInBoth('')

/**
 * An error in the format of a task platform. Platforms have many error codes of their own, which telemetry reports as
 * `invalid_request`.
 */
export class TaskError extends GatewayError {
  /** One of the platform's own error codes. */
  readonly taskCode: string
  readonly isFromUpstream: boolean

  constructor(taskCode: string, text: BothLanguages = NO_TEXT, options: TaskErrorOptions = {}) {
    super('invalid_request', text, options)
    this.taskCode = taskCode
    this.isFromUpstream = options.isFromUpstream ?? false
  }
}

/** Dependencies of tasks. */
export interface TaskDeps extends AutoDisableDeps, TelemetryDeps {
  readonly channels: CachedValue<ChannelDirectory>
  readonly dialects: Dialects
  readonly ledger: Ledger
  readonly failureLimit: FailureLimit
  readonly hooks: Pick<RelayHooks, 'settled'>
  readonly send: Send
  readonly safeFetch: SafeFetch
  /** Signs notification URLs and identifies channel keys. */
  readonly secrets: Secrets
  readonly settings: SettingsReader<
    | keyof TaskOptions
    | keyof AmountFormat
    | 'prices'
    | 'RetryTimes'
    | 'AutomaticDisableChannelEnabled'
    | 'AutomaticDisableKeywords'
    | 'RequestTextLimit'
  >
  /** Undefined when tracing is off. */
  readonly tracing: Tracing | undefined
}
