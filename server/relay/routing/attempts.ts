import { GatewayError } from '../../core/errors.ts'
import { type BothLanguages, ownMessage, textsOf } from '../../core/language.ts'
import type { ClientError } from '../../provider-kit/contract/client-dialect.ts'
import type { Provider } from '../../provider-kit/contract/provider.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import type { RouteCandidate } from './choose-route.ts'

/** One attempt on one channel. */
export interface AttemptTrace {
  readonly channelId: number
  readonly channelName: string
  /** The HTTP status of the response, or the status reported for the failure; 0 when the channel was skipped. */
  readonly status: number
  readonly ms: number
  readonly code?: string
  /** For telemetry only, not for receipts. Undefined when the channel was skipped. */
  readonly call?: AttemptCall
}

export interface AttemptCall {
  readonly provider: Provider
  /** The model name that was sent upstream. */
  readonly model: string
  /** Monotonic time, as returned by `elapsedMs`. */
  readonly startedMs: number
  /** The attempt's span in the trace of the request; undefined when tracing is off. */
  readonly spanId: string | undefined
}

/** Why the channels that are left were not tried. */
export type UntriedReason = 'no retries left' | 'failure is final' | 'client left'

/** How a request was routed: the channels considered, and the attempts made. */
export interface RouteTrace {
  /** Every channel that was considered, in routing order, with its skip reason at planning time. */
  readonly candidates: readonly RouteCandidate[]
  readonly attempts: readonly AttemptTrace[]
  /** Undefined after a response, and where no channel is left. */
  readonly untried?: UntriedReason
}

/** Every channel failed. Carries the last failure and all attempts. */
export class AttemptsFailed extends Error {
  override readonly name = 'AttemptsFailed'
  readonly failure: Failure
  readonly trace: RouteTrace

  constructor(failure: Failure, trace: RouteTrace) {
    super(failure.message)
    this.failure = failure
    this.trace = trace
  }
}

const UNEXPECTED: ClientError = {
  status: 500,
  code: 'internal_error',
  ...ownMessage({ zh: '网关发生意外错误', en: 'the gateway failed unexpectedly' }),
}
const STATUS_SATURATED = 429

const saturated = ({ zh, en }: BothLanguages): BothLanguages => ({
  zh: `当前上游负载已饱和，请稍后重试：${zh}`,
  en: `the upstream is saturated; try again later: ${en}`,
})

/** The error that a client sees. Anything but a GatewayError or failed attempts is a bug, whose details stay internal. */
export function toClientError(error: unknown): ClientError & Pick<Failure, 'retryAfterSeconds'> {
  if (error instanceof GatewayError) {
    const { status, code, message, messageZh, retryAfterSeconds } = error
    return { status, code, message, messageZh, retryAfterSeconds }
  }
  if (!(error instanceof AttemptsFailed)) return UNEXPECTED
  const { failure } = error
  return failure.status === STATUS_SATURATED
    ? { ...failure, ...ownMessage(saturated(textsOf(failure))) }
    : failure
}
