import { elapsedMs } from '../../core/clock.ts'
import type { AdapterResult, Failure } from '../../provider-kit/contract/operation-adapter.ts'
import type { TaskSubmitResult } from '../../provider-kit/contract/task.ts'
import type { RelayContext } from '../relay-context.ts'
import { newSpanId, toTraceparent } from '../request/trace-context.ts'
import { AttemptsFailed, type AttemptTrace } from '../routing/attempts.ts'
import {
  type ChannelUse,
  disableIfKeyRevoked,
  outcomeOfFailure,
  reportFailure,
} from '../routing/auto-disable.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { ChannelCall } from '../routing/channel-health.ts'
import type { RoutePlan } from '../routing/choose-route.ts'
import { decideRetry, type RetryDecision } from '../routing/retry-policy.ts'
import { askVendor } from './ask-vendor.ts'
import type { TaskRequest } from './parse-task-request.ts'

/** A vendor's answer to a submission, and how it came about. */
export interface Submitted {
  readonly channel: RoutedChannel
  readonly receipt: TaskSubmitResult
  readonly attempts: readonly AttemptTrace[]
}

const SUBMIT_TIMEOUT_MS = 60_000
const STATUS_OK = 200
const ID_CHARACTERS_MAX = 255

/**
 * Submits the task to one channel after the other until a vendor answers. It is not broken off when the client leaves:
 * a task that was taken must be followed. Throws AttemptsFailed with the last failure.
 */
export async function attemptTask(
  order: TaskRequest,
  { channels, candidates }: RoutePlan,
  gateway: RelayContext,
): Promise<Submitted> {
  const attempts: AttemptTrace[] = []
  let triesLeft = triesOf(order, gateway)
  let last: Failure = noRoom
  let givenUpId: number | undefined
  for (const channel of channels) {
    const tried = channel.id === givenUpId ? undefined : await tryChannel(order, channel, gateway)
    if (!tried) continue
    attempts.push(tried.trace)
    if (tried.asked.kind === 'reply') return { channel, receipt: tried.asked.reply, attempts }
    last = tried.asked.failure
    triesLeft -= 1
    const verdict = decideRetry(last)
    if (triesLeft === 0 || !GOES_ON.includes(verdict)) break
    if (verdict === 'next channel') givenUpId = channel.id
  }
  throw new AttemptsFailed(last, { candidates, attempts })
}

const triesOf = ({ platform }: TaskRequest, { settings }: RelayContext): number =>
  platform.isRetried ? 1 + settings.current().retryTimes : 1

/** A connection that is lost may have carried the task all the same, so it is not sent again. */
const GOES_ON: readonly RetryDecision[] = ['next key', 'next channel']

interface Tried {
  readonly asked: AdapterResult<TaskSubmitResult>
  readonly trace: AttemptTrace
}

/** Undefined when the channel is at a limit. */
async function tryChannel(
  order: TaskRequest,
  channel: RoutedChannel,
  gateway: RelayContext,
): Promise<Tried | undefined> {
  const visit = gateway.health.beginCall(channel)
  if (typeof visit === 'string') return undefined
  try {
    return await visitChannel(visit, order, channel, gateway)
  } finally {
    visit.end('unknown')
  }
}

async function visitChannel(
  visit: ChannelCall,
  order: TaskRequest,
  channel: RoutedChannel,
  gateway: RelayContext,
): Promise<Tried> {
  visit.markSent()
  const startedMs = elapsedMs()
  const { traceContext } = order
  const spanId = traceContext && newSpanId()
  const isTold = traceContext && spanId && gateway.tracing?.isPropagated
  const traceparent = isTold ? toTraceparent(traceContext, spanId) : undefined
  const asked = await submit({ ...questionOf(order), traceparent }, order, channel, gateway)
  const isFailure = asked.kind === 'failure'
  visit.end(isFailure ? outcomeOfFailure(asked.failure) : 'success')
  if (isFailure) await reportFailure(inUse(channel, order), asked.failure, gateway)
  return {
    asked,
    trace: {
      channelId: channel.id,
      channelName: channel.name,
      ms: Math.round(elapsedMs() - startedMs),
      call: {
        provider: channel.provider,
        model: order.model,
        startedMs,
        spanId,
      },
      ...(isFailure ? { status: asked.failure.status, code: asked.failure.code } : { status: STATUS_OK }),
    },
  }
}

async function submit(
  question: ReturnType<typeof questionOf> & { readonly traceparent: string | undefined },
  order: TaskRequest,
  channel: RoutedChannel,
  gateway: RelayContext,
): Promise<AdapterResult<TaskSubmitResult>> {
  const exchange = channel.provider.task?.submit
  if (!exchange) return { kind: 'failure', failure: noRoom }
  const asked = await askVendor({ ...question, exchange, channel }, gateway)
  if (asked.kind === 'failure') return asked
  const { state, hasNoAccount, description } = asked.reply
  if (state.taskId.length > ID_CHARACTERS_MAX) return { kind: 'failure', failure: noUsableId }
  if (hasNoAccount) await disableIfKeyRevoked(inUse(channel, order), withoutAccount(description), gateway)
  return asked
}

const inUse = (channel: RoutedChannel, { requestId, json }: TaskRequest): ChannelUse => ({
  channel,
  requestId,
  clientBody: json,
})

const questionOf = ({ requestId, model, path, json }: TaskRequest) => ({
  requestId,
  model,
  body: { path, json },
  timeoutMs: SUBMIT_TIMEOUT_MS,
  signal: new AbortController().signal,
})

const withoutAccount = (message: string): Failure => ({
  status: 503,
  code: 'no_account',
  message,
  isKeyRevoked: true,
})

const noUsableId: Failure = {
  status: 502,
  code: 'upstream_bad_answer',
  message: `the upstream gave an id of more than ${ID_CHARACTERS_MAX} characters`,
  isRetryable: false,
}

const noRoom: Failure = {
  status: 429,
  code: 'too_many_requests',
  message: 'every channel for this is at its limit, try again in a moment',
}
