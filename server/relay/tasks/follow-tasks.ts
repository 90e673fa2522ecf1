import { elapsedMs, nowMs } from '../../core/clock.ts'
import { newRequestId } from '../../core/ids.ts'
import { toStoredText } from '../../core/language.ts'
import { claimDueTasks, closeTask, setTaskOutcome, type TaskRow, updateTask } from '../../db/system/tasks.ts'
import { withRetries } from '../../ledger/commit.ts'
import type { TaskAdapter, TaskState } from '../../provider-kit/contract/task.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import { pollOperation } from '../telemetry/observer.ts'
import { callProvider } from './call-provider.ts'
import type { TaskDeps } from './platform.ts'
import {
  failedTaskLog,
  submittingKeyHash,
  taskBill,
  taskHold,
  toSettledTask,
  withSubmittingKey,
} from './task-bill.ts'
import { findTaskChannel } from './task-channel.ts'

/** Tasks that one process claims at once. */
const CLAIMED_MAX = 500
/** Tasks in one poll. All were submitted with the same key. */
const POLLED_MAX = 100
/** The limit for a complete response. */
const POLL_TIMEOUT_MS = 15_000
/** By our own clock, so that a task that its provider no longer knows ends too. */
const TASK_TIMEOUT_MS = 3_600_000
const TIMED_OUT = toStoredText({ zh: '上游任务超时（超过 1 小时）', en: 'the task took longer than an hour' })
const CHANNEL_GONE = toStoredText({
  zh: '渠道不存在或无法查询任务',
  en: 'the channel no longer exists or cannot report on the task',
})
const NO_ID = toStoredText({ zh: '上游没有返回任务 ID', en: 'the upstream returned no task ID' })

/**
 * Claims the tasks that are due, polls their providers in batches, records the states and settles the finished ones.
 * Returns how many tasks were claimed; call it again until there are none. Safe to run in several processes.
 */
export async function followTasks(deps: TaskDeps, signal: AbortSignal): Promise<number> {
  const now = nowMs()
  const claim = { nowMs: now, untilMs: leaseEndMs(now), limit: CLAIMED_MAX }
  const rows = await withRetries(() => claimDueTasks(deps.db, claim))
  const open = Map.groupBy(
    rows.filter(row => row.outcome === 'open'),
    row => row.channel_id,
  )
  const decided = rows.filter(row => row.outcome !== 'open')
  await forEachTask(decided, deps, row => settleTask(row, deps))
  await Promise.all([...open].map(([channelId, tasks]) => followOnChannel(channelId, tasks, deps, signal)))
  return rows.length
}

async function followOnChannel(
  channelId: number,
  rows: readonly TaskRow[],
  deps: TaskDeps,
  signal: AbortSignal,
): Promise<void> {
  const channel = await findTaskChannel(channelId, deps)
  const adapter = channel?.provider.task
  const canPoll = (row: TaskRow) => row.task_id !== '' && row.platform === adapter?.platform
  const lost = rows.filter(row => !canPoll(row))
  await forEachTask(lost, deps, row => failTask(row, row.task_id ? CHANNEL_GONE : NO_ID, deps))
  if (!channel || !adapter) return
  const byKey = Map.groupBy(rows.filter(canPoll), submittingKeyHash)
  const batches = [...byKey.values()].flatMap(toBatches)
  await Promise.all(batches.map(batch => pollBatch(batch, { channel, adapter }, deps, signal)))
}

const toBatches = (rows: readonly TaskRow[]): readonly (readonly TaskRow[])[] =>
  Array.from({ length: Math.ceil(rows.length / POLLED_MAX) }, (_, batch) =>
    rows.slice(batch * POLLED_MAX, (batch + 1) * POLLED_MAX),
  )

async function pollBatch(
  rows: readonly TaskRow[],
  { channel, adapter }: { channel: RoutedChannel; adapter: TaskAdapter },
  deps: TaskDeps,
  signal: AbortSignal,
): Promise<void> {
  const [first] = rows
  if (!first) return
  const startedMs = elapsedMs()
  const result = await callProvider(
    {
      adapter: adapter.poll,
      channel: withSubmittingKey(first, channel, deps),
      body: [...new Set(rows.map(row => row.task_id))],
      model: '',
      requestId: newRequestId(),
      timeoutMs: POLL_TIMEOUT_MS,
      signal: AbortSignal.any([signal, AbortSignal.timeout(POLL_TIMEOUT_MS)]),
    },
    deps,
  )
  deps.observer.taskPolled({
    operation: pollOperation(adapter.platform),
    channel,
    startedMs,
    traceContext: deps.tracing?.begin(new Headers()),
    failedStatus: result.kind === 'failure' ? result.failure.status : undefined,
  })
  if (result.kind === 'failure')
    deps.log.warn('the states of tasks could not be polled', {
      channel_id: channel.id,
      reason: result.failure.message,
    })
  const states = new Map(
    result.kind === 'reply' ? result.reply.map(state => [state.taskId, state] as const) : [],
  )
  await forEachTask(rows, deps, row => recordPoll(row, states.get(row.task_id), deps))
}

async function recordPoll(row: TaskRow, state: TaskState | undefined, deps: TaskDeps): Promise<void> {
  const now = nowMs()
  const hasTimedOut = now - row.created_at_ms >= TASK_TIMEOUT_MS
  if (state && (state.outcome !== 'open' || !hasTimedOut)) await recordState(row, state, deps)
  else if (hasTimedOut) await failTask(row, TIMED_OUT, deps)
  else await updateTask(deps.db, row.id, { due_ms: nextPollMs(row.created_at_ms, now) })
}

/** One task that fails does not stop the others. It becomes due again when its lease ends. */
async function forEachTask(
  rows: readonly TaskRow[],
  { log }: TaskDeps,
  work: (row: TaskRow) => Promise<void>,
): Promise<void> {
  const guarded = async (row: TaskRow): Promise<void> => {
    try {
      await work(row)
    } catch (error) {
      log.error('a task could not be followed', { request_id: row.request_id, error })
    }
  }
  await Promise.all(rows.map(guarded))
}

/**
 * Records a state of an open task, from a poll or a notification. The first one that ends the task settles it; later ones
 * change nothing.
 */
export async function recordState(
  row: TaskRow,
  state: Omit<TaskState, 'taskId'>,
  deps: TaskDeps,
): Promise<void> {
  const { outcome } = state
  const now = nowMs()
  const changes = {
    status: state.status,
    progress: state.progress,
    fail_reason: state.failReason,
    detail: state.detail === undefined ? row.detail : JSON.stringify(state.detail),
    submit_time_ms: state.submitTimeMs || row.submit_time_ms,
    start_time_ms: state.startTimeMs || row.start_time_ms,
    finish_time_ms: state.finishTimeMs || (outcome === 'open' ? 0 : now),
    updated_at_ms: now,
  }
  if (outcome === 'open') {
    await updateTask(deps.db, row.id, { ...changes, due_ms: nextPollMs(row.created_at_ms, now) })
    return
  }
  const quota = outcome === 'failed' ? 0 : row.quota
  const decided = { ...changes, outcome, quota, due_ms: leaseEndMs(now) }
  if (await setTaskOutcome(deps.db, row.id, decided)) await settleTask({ ...row, ...decided }, deps)
}

/** Ends a task whose provider will report nothing more. */
const failTask = (row: TaskRow, failReason: string, deps: TaskDeps): Promise<void> =>
  recordState(
    row,
    {
      outcome: 'failed',
      status: 'FAILURE',
      progress: '100%',
      failReason,
      submitTimeMs: 0,
      startTimeMs: 0,
      finishTimeMs: 0,
      detail: undefined,
    },
    deps,
  )

/**
 * Charges a task that succeeded, or releases the hold of one that failed. Safe to repeat: the hold closes once, and a
 * task whose settlement is interrupted stays due.
 */
export async function settleTask(row: TaskRow, deps: TaskDeps): Promise<void> {
  const { db, ledger } = deps
  if (row.outcome === 'open') throw new Error(`the task ${row.id} is open, it cannot be settled yet`)
  if (row.outcome === 'succeeded') await ledger.settle(taskHold(row), taskBill(row))
  else await ledger.release(taskHold(row), failedTaskLog(row, deps.settings.current()))
  await closeTask(db, row.id)
  if (row.outcome !== 'succeeded' || !deps.hooks.settled) return
  const channel = await findTaskChannel(row.channel_id, deps)
  if (channel) deps.hooks.settled(toSettledTask(row, channel))
}

/** Providers need a moment before there is progress to report. */
const POLL_INTERVAL_MS_MIN = 2000
const POLL_INTERVAL_MS_MAX = 15_000
/** The interval grows with the age of a task. */
const POLLS_PER_AGE = 4

/** Longer than any poll takes. When it ends, another process takes over the tasks of a dead one. */
const LEASE_MS = 30_000

/** Until when a claimed task belongs to one process. */
export const leaseEndMs = (nowMs: number): number => nowMs + LEASE_MS

export const firstPollMs = (nowMs: number): number => nowMs + POLL_INTERVAL_MS_MIN

const nextPollMs = (createdAtMs: number, nowMs: number): number => {
  const intervalMs = (nowMs - createdAtMs) / POLLS_PER_AGE
  return nowMs + Math.round(Math.min(Math.max(intervalMs, POLL_INTERVAL_MS_MIN), POLL_INTERVAL_MS_MAX))
}
