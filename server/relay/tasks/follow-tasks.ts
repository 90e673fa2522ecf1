import { elapsedMs, nowMs } from '../../core/clock.ts'
import { newRequestId } from '../../core/ids.ts'
import { claimDueTasks, type TaskRow, updateTask } from '../../db/system/tasks.ts'
import { withRetries } from '../../ledger/with-retries.ts'
import type { TaskAdapter, TaskState } from '../../provider-kit/contract/task.ts'
import type { RelayContext } from '../relay-context.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import { pollOperation } from '../telemetry/observer.ts'
import { askVendor } from './ask-vendor.ts'
import { settleTask } from './close-task.ts'
import { leaseEndMs, nextDueMs } from './due.ts'
import { failTask, recordState } from './record-state.ts'
import { readBill } from './stored-bill.ts'
import { withKeyOf } from './task-key.ts'

/** Tasks that one process takes at once. */
const CLAIMED_MAX = 500
/** Tasks that a vendor is asked of at once, all submitted with one key. */
const ASKED_MAX = 100
/** For all of an answer. */
const POLL_TIMEOUT_MS = 15_000
/** By our own clock, so that a task of which its vendor knows nothing ends too. */
const LIFE_MS = 3_600_000
const TIMED_OUT = '上游任务超时（超过1小时）'
const CHANNEL_GONE = '渠道不存在或无法查询任务'
const NO_ID = '上游没有返回任务编号'

/**
 * Looks once at tasks that are due: asks their vendors in batches, notes what they tell, and closes what is decided.
 * Gives how many there were; call it again while there are any. Many processes may do so side by side.
 */
export async function followTasks(gateway: RelayContext, signal: AbortSignal): Promise<number> {
  const now = nowMs()
  const claim = { nowMs: now, untilMs: leaseEndMs(now), limit: CLAIMED_MAX }
  const rows = await withRetries(() => claimDueTasks(gateway.db, claim))
  const open = Map.groupBy(
    rows.filter(row => row.outcome === 'open'),
    row => row.channel_id,
  )
  const decided = rows.filter(row => row.outcome !== 'open')
  await eachAlone(decided, gateway, row => settleTask(row, gateway))
  await Promise.all(
    [...open].map(([channelId, ofChannel]) => followOnChannel(channelId, ofChannel, gateway, signal)),
  )
  return rows.length
}

async function followOnChannel(
  channelId: number,
  rows: readonly TaskRow[],
  gateway: RelayContext,
  signal: AbortSignal,
): Promise<void> {
  const channel = await findChannel(channelId, gateway)
  const exchange = channel?.provider.task
  const isFollowed = (row: TaskRow) => row.task_id !== '' && row.platform === exchange?.platform
  const lost = rows.filter(row => !isFollowed(row))
  await eachAlone(lost, gateway, row => failTask(row, row.task_id ? CHANNEL_GONE : NO_ID, gateway))
  if (!channel || !exchange) return
  const byKey = Map.groupBy(rows.filter(isFollowed), row => readBill(row).keyMark)
  const lots = [...byKey.values()].flatMap(lotsOf)
  await Promise.all(lots.map(lot => followLot(lot, { channel, exchange }, gateway, signal)))
}

const lotsOf = (rows: readonly TaskRow[]): readonly (readonly TaskRow[])[] =>
  Array.from({ length: Math.ceil(rows.length / ASKED_MAX) }, (_, lot) =>
    rows.slice(lot * ASKED_MAX, (lot + 1) * ASKED_MAX),
  )

/** A channel that another process has just made is not in memory yet. */
async function findChannel(id: number, { channels }: RelayContext): Promise<RoutedChannel | undefined> {
  const known = channels.current().byId(id)
  if (known) return known
  await channels.refresh()
  return channels.current().byId(id)
}

async function followLot(
  rows: readonly TaskRow[],
  { channel, exchange }: { channel: RoutedChannel; exchange: TaskAdapter },
  gateway: RelayContext,
  signal: AbortSignal,
): Promise<void> {
  const [first] = rows
  if (!first) return
  const startedMs = elapsedMs()
  const asked = await askVendor(
    {
      exchange: exchange.poll,
      channel: withKeyOf(first, channel, gateway),
      body: [...new Set(rows.map(row => row.task_id))],
      model: '',
      requestId: newRequestId(),
      timeoutMs: POLL_TIMEOUT_MS,
      signal: AbortSignal.any([signal, AbortSignal.timeout(POLL_TIMEOUT_MS)]),
    },
    gateway,
  )
  gateway.observer.taskPolled({
    operation: pollOperation(exchange.platform),
    channel,
    startedMs,
    traceContext: gateway.tracing?.begin(new Headers()),
    failedStatus: asked.kind === 'failure' ? asked.failure.status : undefined,
  })
  if (asked.kind === 'failure')
    gateway.log.warn('a vendor does not tell how its tasks are', {
      channel_id: channel.id,
      reason: asked.failure.message,
    })
  const states = new Map(
    asked.kind === 'reply' ? asked.reply.map(state => [state.taskId, state] as const) : [],
  )
  await eachAlone(rows, gateway, row => goOn(row, states.get(row.task_id), gateway))
}

async function goOn(row: TaskRow, state: TaskState | undefined, gateway: RelayContext): Promise<void> {
  const now = nowMs()
  const isTooOld = now - row.created_at_ms >= LIFE_MS
  if (state && (state.outcome !== 'open' || !isTooOld)) await recordState(row, state, gateway)
  else if (isTooOld) await failTask(row, TIMED_OUT, gateway)
  else await updateTask(gateway.db, row.id, { due_ms: nextDueMs(row.created_at_ms, now) })
}

/** A task that cannot be written stands in the way of no other; it is due again when its lease ends. */
async function eachAlone(
  rows: readonly TaskRow[],
  { log }: RelayContext,
  work: (row: TaskRow) => Promise<void>,
): Promise<void> {
  const alone = async (row: TaskRow): Promise<void> => {
    try {
      await work(row)
    } catch (error) {
      log.error('a task could not be followed', { request_id: row.request_id, error })
    }
  }
  await Promise.all(rows.map(alone))
}
