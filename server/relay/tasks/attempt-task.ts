import { elapsedMs } from '../../core/clock.ts'
import type { Replied } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import type { TaskReceipt } from '../../provider-kit/task.ts'
import type { RelayContext } from '../relay-context.ts'
import { type ChannelInUse, disableWhenDead } from '../routing/auto-disable.ts'
import type { Visit } from '../routing/channel-health.ts'
import { type Verdict, verdictOn } from '../routing/retry-policy.ts'
import type { RoutedChannel } from '../routing/routed-channel.ts'
import { newSpanId, writeTraceparent } from '../telemetry/trace-context.ts'
import { AttemptsFailed, type AttemptTrace } from '../upstream/attempts.ts'
import { endOf, learnFrom } from '../upstream/try-channels.ts'
import { askVendor } from './ask-vendor.ts'
import type { TaskOrder } from './order-task.ts'

/** A vendor's answer to a submission, and how it came about. */
export interface Submitted {
  readonly channel: RoutedChannel
  readonly receipt: TaskReceipt
  readonly attempts: readonly AttemptTrace[]
}

const SUBMIT_TIMEOUT_MS = 60_000
const STATUS_OK = 200
const ID_CHARACTERS_MAX = 255

/**
 * Submits the task to one channel after the other until a vendor answers. It is not broken off when the client leaves:
 * a task that was taken must be followed. Throws AttemptsFailed with the last failure.
 */
export async function attemptTask(order: TaskOrder, gateway: RelayContext): Promise<Submitted> {
  const attempts: AttemptTrace[] = []
  const { channels, candidates } = order.trial
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
    const verdict = verdictOn(last)
    if (triesLeft === 0 || !GOES_ON.includes(verdict)) break
    if (verdict === 'next channel') givenUpId = channel.id
  }
  throw new AttemptsFailed(last, { candidates, attempts })
}

const triesOf = ({ platform }: TaskOrder, { settings }: RelayContext): number =>
  platform.isRetried ? 1 + settings.current().retryTimes : 1

/** A connection that is lost may have carried the task all the same, so it is not sent again. */
const GOES_ON: readonly Verdict[] = ['next key', 'next channel']

interface Tried {
  readonly asked: Replied<TaskReceipt>
  readonly trace: AttemptTrace
}

/** Undefined when the channel is at a limit. */
async function tryChannel(
  order: TaskOrder,
  channel: RoutedChannel,
  gateway: RelayContext,
): Promise<Tried | undefined> {
  const visit = gateway.health.visit(channel)
  if (typeof visit === 'string') return undefined
  try {
    return await visitChannel(visit, order, channel, gateway)
  } finally {
    visit.end('no verdict')
  }
}

async function visitChannel(
  visit: Visit,
  order: TaskOrder,
  channel: RoutedChannel,
  gateway: RelayContext,
): Promise<Tried> {
  visit.ask()
  const startedMs = elapsedMs()
  const { traceContext } = order
  const spanId = traceContext && newSpanId()
  const isTold = traceContext && spanId && gateway.tracing?.isPassedOn
  const traceparent = isTold ? writeTraceparent(traceContext, spanId) : undefined
  const asked = await submit({ ...questionOf(order), traceparent }, order, channel, gateway)
  const isFailure = asked.kind === 'failure'
  visit.end(isFailure ? endOf(asked.failure) : 'good')
  if (isFailure) await learnFrom(inUse(channel, order), asked.failure, gateway)
  return {
    asked,
    trace: {
      channelId: channel.id,
      channelName: channel.name,
      ms: Math.round(elapsedMs() - startedMs),
      asked: {
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
  order: TaskOrder,
  channel: RoutedChannel,
  gateway: RelayContext,
): Promise<Replied<TaskReceipt>> {
  const exchange = channel.provider.task?.submit
  if (!exchange) return { kind: 'failure', failure: noRoom }
  const asked = await askVendor({ ...question, exchange, channel }, gateway)
  if (asked.kind === 'failure') return asked
  const { state, isWithoutAccount, description } = asked.reply
  if (state.taskId.length > ID_CHARACTERS_MAX) return { kind: 'failure', failure: noUsableId }
  if (isWithoutAccount) await disableWhenDead(inUse(channel, order), withoutAccount(description), gateway)
  return asked
}

const inUse = (channel: RoutedChannel, { requestId, json }: TaskOrder): ChannelInUse => ({
  channel,
  requestId,
  sent: json,
})

const questionOf = ({ requestId, model, path, json }: TaskOrder) => ({
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
  isKeyDead: true,
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
