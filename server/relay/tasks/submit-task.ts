import { elapsedMs, nowMs } from '../../core/clock.ts'
import { ownMessage, textsOf } from '../../core/language.ts'
import { NO_QUOTA } from '../../core/money.ts'
import { NO_USAGE } from '../../core/usage.ts'
import { assignHoldToTask } from '../../db/billing/holds.ts'
import { inTransaction } from '../../db/engine/database.ts'
import { insertTask, listOwnTasks, type NewTask, type TaskRow } from '../../db/system/tasks.ts'
import type { AdapterResult } from '../../provider-kit/contract/operation-adapter.ts'
import type { TaskSubmitResult } from '../../provider-kit/contract/task.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import type { Reservation } from '../billing/hold.ts'
import { toErrorContent, toReceiptAttempt } from '../billing/receipt.ts'
import type { PaidRequest } from '../operation.ts'
import { newSpanId, toTraceparent } from '../request/trace-context.ts'
import {
  type AttemptCall,
  AttemptsFailed,
  type AttemptTrace,
  toClientError,
  type UntriedReason,
} from '../routing/attempts.ts'
import {
  type ChannelUse,
  disableIfKeyRevoked,
  outcomeOfFailure,
  reportFailure,
} from '../routing/auto-disable.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { RoutePlan } from '../routing/choose-route.ts'
import { decideRetry, type RetryDecision } from '../routing/retry-policy.ts'
import type { Outcome } from '../types.ts'
import { callProvider } from './call-provider.ts'
import { firstPollMs, leaseEndMs, settleTask } from './follow-tasks.ts'
import type { TaskDeps, TaskRequest } from './platform.ts'
import { hashChannelKey, taskCharge, taskLogEntry, toStoredBill } from './task-bill.ts'

type ReservedTask = PaidRequest<TaskRequest>

/** No usage: a task is priced per call, and charged only when it finishes. */
export const TASK_OUTCOME: Outcome = {
  ending: 'complete',
  usage: NO_USAGE,
  provenance: 'free',
  firstOutputMs: undefined,
}

/**
 * Submits a task to a channel and stores it, which hands the hold over to the task. Responds with the provider's own
 * response. Releases the hold and rejects when no channel accepts the task or it cannot be stored.
 */
export async function submitTask(task: ReservedTask, deps: TaskDeps): Promise<Response> {
  const { request } = task
  const { submitted, row, endedMs } = await submitAndStore(task, deps)
  if (row && row.outcome !== 'open') await settleNow(row, deps)
  const { channel, attempts, result } = submitted
  deps.observer.requestCompleted({
    request,
    trace: { attempts },
    upstream: { channel, upstreamModel: request.model },
    outcome: TASK_OUTCOME,
    endedMs,
  })
  return Response.json(result.json)
}

async function submitAndStore({ request, plan, reservation }: ReservedTask, deps: TaskDeps) {
  try {
    const submitted = await submitToChannels(request, plan, deps)
    const endedMs = elapsedMs()
    if (await isAlreadyPaid(request, submitted, deps)) {
      await deps.ledger.release(reservation.hold)
      return { submitted, row: undefined, endedMs }
    }
    return { submitted, row: await storeTask(request, reservation, submitted, deps), endedMs }
  } catch (error) {
    await releaseFailed(request, reservation, error, deps)
    throw error
  }
}

/** When a button is pressed twice, the provider returns the task that is already running, which the caller already pays. */
async function isAlreadyPaid(
  { caller, platform }: TaskRequest,
  { result: { isRepeat, state }, channel }: SubmittedTask,
  { db }: TaskDeps,
): Promise<boolean> {
  if (!isRepeat || state.taskId === '') return false
  const rows = await listOwnTasks(db, { userId: caller.userId, platform: platform.name }, [state.taskId])
  return rows.some(row => row.channel_id === channel.id && row.outcome !== 'failed')
}

/** The stored task stays due, so that a settlement that fails here is repeated later. */
async function settleNow(row: TaskRow, deps: TaskDeps): Promise<void> {
  try {
    await settleTask(row, deps)
  } catch (error) {
    deps.log.error('a finished task could not be settled yet', { request_id: row.request_id, error })
  }
}

async function releaseFailed(
  request: TaskRequest,
  { hold }: Reservation,
  error: unknown,
  { ledger, failureLimit }: TaskDeps,
): Promise<void> {
  const attempts = error instanceof AttemptsFailed ? error.trace.attempts : []
  const clientError = toClientError(error)
  const { status, code } = clientError
  const { zh, en } = textsOf(clientError)
  const isRowLogged = await failureLimit.count(request.caller, status)
  await ledger.release(hold, {
    isRowLogged,
    entry: {
      ...taskLogEntry(request, attempts.at(-1)?.channelId ?? 0),
      content: toErrorContent({ zh: `${request.action}: ${zh}`, en: `${request.action}: ${en}` }),
    },
    receipt: {
      ending: 'failed',
      provenance: 'free',
      status,
      code,
      model: { requested: request.model },
      attempts: attempts.map(toReceiptAttempt),
    },
  })
}

/** A submission that a provider accepted. */
interface SubmittedTask {
  readonly channel: RoutedChannel
  readonly result: TaskSubmitResult
  readonly attempts: readonly AttemptTrace[]
}

const SUBMIT_TIMEOUT_MS = 60_000
const STATUS_OK = 200
const TASK_ID_CHARS_MAX = 255

/** A lost connection may have carried the task, so the submission is not repeated on the same channel. */
const RETRIED: readonly RetryDecision[] = ['next key', 'next channel']

const untriedAfter = (failure: Failure): UntriedReason =>
  RETRIED.includes(decideRetry(failure)) ? 'no retries left' : 'failure is final'

/**
 * Submits the task to one channel after the other until a provider accepts it. Continues when the client disconnects, since
 * an accepted task must be followed. Throws AttemptsFailed with the last failure.
 */
async function submitToChannels(
  request: TaskRequest,
  { channels, candidates }: RoutePlan,
  deps: TaskDeps,
): Promise<SubmittedTask> {
  const attempts: AttemptTrace[] = []
  const attemptsMax = request.platform.isRetried ? 1 + deps.settings.current().RetryTimes : 1
  let lastFailure: Failure = AT_LIMIT
  let abandonedId: number | undefined
  for (const channel of channels) {
    const attempt = channel.id !== abandonedId && (await submitToChannel(request, channel, deps))
    if (!attempt) continue
    attempts.push(attempt.trace)
    if (attempt.result.kind === 'reply') return { channel, result: attempt.result.reply, attempts }
    lastFailure = attempt.result.failure
    const decision = decideRetry(lastFailure)
    if (attempts.length >= attemptsMax || !RETRIED.includes(decision)) break
    if (decision === 'next channel') abandonedId = channel.id
  }
  const untried = untriedAfter(lastFailure)
  throw new AttemptsFailed(lastFailure, { candidates, attempts, untried })
}

interface SubmitAttempt {
  readonly result: AdapterResult<TaskSubmitResult>
  readonly trace: AttemptTrace
}

/** Undefined when the channel is at a limit. */
async function submitToChannel(
  request: TaskRequest,
  channel: RoutedChannel,
  deps: TaskDeps,
): Promise<SubmitAttempt | undefined> {
  const call = deps.health.beginCall(channel)
  if (typeof call === 'string') return undefined
  try {
    call.markSent()
    const started = startAttempt(request, channel)
    const result = await callSubmit(request, channel, started, deps)
    const isFailure = result.kind === 'failure'
    call.end(isFailure ? outcomeOfFailure(result.failure) : 'success')
    if (isFailure) await reportFailure(toChannelUse(channel, request), result.failure, deps)
    return { result, trace: toTrace(channel, started, result) }
  } finally {
    call.end('unknown')
  }
}

const startAttempt = ({ model, traceContext }: TaskRequest, { provider }: RoutedChannel): AttemptCall => ({
  provider,
  model,
  startedMs: elapsedMs(),
  spanId: traceContext && newSpanId(),
})

const toTrace = (
  { id: channelId, name: channelName }: RoutedChannel,
  call: AttemptCall,
  result: SubmitAttempt['result'],
): AttemptTrace => ({
  channelId,
  channelName,
  ms: Math.round(elapsedMs() - call.startedMs),
  call,
  ...(result.kind === 'failure'
    ? { status: result.failure.status, code: result.failure.code }
    : { status: STATUS_OK }),
})

async function callSubmit(
  request: TaskRequest,
  channel: RoutedChannel,
  { spanId }: AttemptCall,
  deps: TaskDeps,
): Promise<AdapterResult<TaskSubmitResult>> {
  const adapter = channel.provider.task?.submit
  if (!adapter) return { kind: 'failure', failure: AT_LIMIT }
  const { requestId, model, path, clientBody, traceContext } = request
  const isPropagated = traceContext && spanId && deps.tracing?.isPropagated
  const result = await callProvider(
    {
      adapter,
      channel,
      body: { path, json: clientBody },
      model,
      requestId,
      traceparent: isPropagated ? toTraceparent(traceContext, spanId) : undefined,
      timeoutMs: SUBMIT_TIMEOUT_MS,
      signal: new AbortController().signal,
    },
    deps,
  )
  if (result.kind === 'failure') return result
  const { state, hasNoAccount, description } = result.reply
  if (state.taskId.length > TASK_ID_CHARS_MAX) return { kind: 'failure', failure: TASK_ID_TOO_LONG }
  if (hasNoAccount)
    await disableIfKeyRevoked(toChannelUse(channel, request), noAccountFailure(description), deps)
  return result
}

const toChannelUse = (channel: RoutedChannel, { requestId, clientBody }: TaskRequest): ChannelUse => ({
  channel,
  requestId,
  clientBody,
})

const noAccountFailure = (message: string): Failure => ({
  status: 503,
  code: 'no_account',
  message,
  isKeyRevoked: true,
})

const TASK_ID_TOO_LONG: Failure = {
  status: 502,
  code: 'upstream_bad_answer',
  ...ownMessage({
    zh: `上游返回的任务 ID 超过 ${TASK_ID_CHARS_MAX} 个字符`,
    en: `the upstream returned a task ID of more than ${TASK_ID_CHARS_MAX} characters`,
  }),
  isRetryable: false,
}

const AT_LIMIT: Failure = {
  status: 429,
  code: 'too_many_requests',
  ...ownMessage({
    zh: '该模型的所有渠道均已达到上限，请稍后重试',
    en: 'every channel for this model is at its limit; try again shortly',
  }),
}

/** Task lists show this much of a prompt. The provider receives all of it. */
const STORED_PROMPT_CHARS_MAX = 10_000

/**
 * Stores a task and hands the hold over to it in one transaction: from then on it is followed and settled even if this
 * process dies. A hold that is gone is reserved anew where the payer can pay; the provider has the task in any case.
 */
async function storeTask(
  request: TaskRequest,
  reservation: Reservation,
  submitted: SubmittedTask,
  deps: TaskDeps,
): Promise<TaskRow> {
  const { db, ledger } = deps
  const task = toNewTask(request, reservation, submitted, deps)
  const row = await inTransaction(db, async tx => {
    const isHeld = await assignHoldToTask(tx, request.requestId)
    return isHeld ? insertTask(tx, task) : undefined
  })
  if (row) return row
  await ledger.extend(reservation.hold, NO_QUOTA)
  return inTransaction(db, async tx => {
    await assignHoldToTask(tx, request.requestId)
    return insertTask(tx, task)
  })
}

function toNewTask(
  request: TaskRequest,
  reservation: Reservation,
  { channel, result, attempts }: SubmittedTask,
  deps: TaskDeps,
): NewTask {
  const now = nowMs()
  const { state } = result
  const isDone = state.outcome !== 'open'
  const keyMark = hashChannelKey(channel.view.key, deps)
  return {
    request_id: request.requestId,
    platform: request.platform.name,
    task_id: state.taskId,
    user_id: request.caller.userId,
    channel_id: channel.id,
    action: request.action,
    mode: request.mode,
    code: result.code,
    prompt: request.prompt.slice(0, STORED_PROMPT_CHARS_MAX),
    outcome: state.outcome,
    status: state.status,
    progress: state.progress,
    fail_reason: state.failReason,
    detail: state.detail === undefined ? '' : JSON.stringify(state.detail),
    quota: state.outcome === 'failed' ? 0 : taskCharge(reservation).amount,
    bill: toStoredBill({ keyMark, request, reservation, channel, attempts }),
    created_at_ms: now,
    updated_at_ms: now,
    submit_time_ms: state.submitTimeMs || now,
    start_time_ms: state.startTimeMs || (isDone ? now : 0),
    finish_time_ms: state.finishTimeMs || (isDone ? now : 0),
    due_ms: isDone ? leaseEndMs(now) : firstPollMs(now),
  }
}
