import { GatewayError } from '../../core/errors.ts'
import type { Provider } from '../../provider-kit/contract/provider.ts'
import type { TaskPlatformName } from '../../provider-kit/contract/task.ts'
import { AttemptsFailed, type AttemptTrace, type RouteTrace } from '../routing/attempts.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { Caller, OperationName, Outcome, ResponseEnding, TraceContext } from '../types.ts'

/** Facts about a request for telemetry, from any pipeline. */
export interface ObservedRequest {
  readonly requestId: string
  readonly caller: Pick<Caller, 'userId' | 'group'> & { readonly token: { readonly id: number } | undefined }
  readonly operation: { readonly name: ObservedOperation }
  /** Empty when the request names no model. */
  readonly model: string
  readonly maxOutputTokens?: number | undefined
  readonly isStream: boolean
  /** Monotonic time, as returned by `elapsedMs`. */
  readonly startedMs: number
  readonly traceContext: TraceContext | undefined
}

/** A request whose response began, once it has ended and is charged. */
export interface CompletedRequest {
  readonly request: ObservedRequest
  readonly trace: Pick<RouteTrace, 'attempts'>
  /** The channel that responded. Undefined when the gateway responded from its own database. */
  readonly upstream?: ObservedUpstream
  readonly outcome: Outcome
  /** Before the charge; on the clock of `elapsedMs`. */
  readonly endedMs: number
}

interface ObservedUpstream {
  readonly channel: Pick<RoutedChannel, 'provider'>
  readonly upstreamModel: string
}

/** A request without any response from upstream. */
export interface FailedRequest {
  readonly request: ObservedRequest
  readonly error: unknown
}

/** A request that was rejected before its body was parsed. */
export interface RejectedRequest {
  readonly requestId: string
  /** Monotonic time, as returned by `elapsedMs`. */
  readonly startedMs: number
  readonly traceContext: TraceContext | undefined
  readonly error: unknown
}

/** One poll for the state of tasks. No client waits for it. */
export interface TaskPoll {
  readonly operation: ObservedOperation
  readonly channel: Pick<RoutedChannel, 'id' | 'name' | 'provider'>
  /** Monotonic time, as returned by `elapsedMs`. */
  readonly startedMs: number
  readonly traceContext: TraceContext | undefined
  /** Undefined when the poll succeeded. */
  readonly failedStatus: number | undefined
}

/** Observes every model request once it is over. Runs as part of the request, so it must neither throw nor block. */
export interface RelayObserver {
  requestCompleted(request: CompletedRequest): void
  requestFailed(request: FailedRequest): void
  requestRejected(request: RejectedRequest): void
  taskPolled(poll: TaskPoll): void
}

/** Dependencies of reporting, for the relay's stages. */
export interface TelemetryDeps {
  readonly observer: RelayObserver
}

export const combineObservers = (observers: readonly RelayObserver[]): RelayObserver => ({
  requestCompleted(request) {
    for (const observer of observers) observer.requestCompleted(request)
  },
  requestFailed(request) {
    for (const observer of observers) observer.requestFailed(request)
  },
  requestRejected(request) {
    for (const observer of observers) observer.requestRejected(request)
  },
  taskPolled(poll) {
    for (const observer of observers) observer.taskPolled(poll)
  },
})

const ENDING_ERROR_TYPES: Readonly<Record<ResponseEnding, string | undefined>> = {
  complete: undefined,
  'client-left': 'client_left',
  'upstream-broke': 'upstream_broke',
  'quota-spent': 'quota_spent',
  'access-ended': 'access_ended',
  'storage-failed': 'storage_failed',
}

/** The `error.type` of a response that began, from a small closed set. */
export const endingErrorType = (ending: ResponseEnding): string | undefined => ENDING_ERROR_TYPES[ending]

/** The part of it that the upstream caused: a broken response, but not a client that disconnected. */
export const upstreamErrorType = (ending: ResponseEnding): string | undefined =>
  ending === 'upstream-broke' ? endingErrorType(ending) : undefined

/**
 * The `error.type` of a request without a response: our own code or the upstream status, since providers' codes are
 * unbounded.
 */
export function failureErrorType(error: unknown): string {
  if (error instanceof AttemptsFailed) return String(error.failure.status)
  return error instanceof GatewayError ? error.code : 'internal_error'
}

export const STATUS_INTERNAL_ERROR = 500

export const failedAttempts = (error: unknown): readonly AttemptTrace[] =>
  error instanceof AttemptsFailed ? error.trace.attempts : []

/** A relay operation, or the submission or polling of a task. */
export type ObservedOperation = OperationName | TaskOperation
type TaskOperation = 'drawing' | 'drawing fetch' | 'music' | 'music fetch'

/** Standard names where the conventions have one. Source: opentelemetry.io/docs/specs/semconv/gen-ai */
const GEN_AI_OPERATIONS: Readonly<Record<ObservedOperation, string>> = {
  chat: 'chat',
  completions: 'text_completion',
  'token-count': 'token_count',
  embeddings: 'embeddings',
  images: 'image_generation',
  'image edits': 'image_edit',
  'image variations': 'image_variation',
  speech: 'speech',
  transcription: 'transcription',
  translation: 'translation',
  rerank: 'rerank',
  moderation: 'moderation',
  realtime: 'realtime',
  drawing: 'drawing',
  'drawing fetch': 'drawing_fetch',
  music: 'music',
  'music fetch': 'music_fetch',
}

/** The `gen_ai.operation.name` of an operation. */
export const genAiOperation = (name: ObservedOperation): string => GEN_AI_OPERATIONS[name]

/** The `gen_ai.provider.name` of a provider. */
export const genAiProvider = ({ genAiName, name }: Provider): string =>
  genAiName ?? name.toLowerCase().replaceAll(' ', '_')

const TASK_OPERATIONS: Readonly<Record<TaskPlatformName, 'drawing' | 'music'>> = {
  mj: 'drawing',
  suno: 'music',
}

export const submitOperation = (platform: TaskPlatformName): ObservedOperation => TASK_OPERATIONS[platform]

export const pollOperation = (platform: TaskPlatformName): ObservedOperation =>
  `${TASK_OPERATIONS[platform]} fetch`
