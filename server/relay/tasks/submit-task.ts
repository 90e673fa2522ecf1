import { elapsedMs } from '../../core/clock.ts'
import type { TaskRow } from '../../db/task-lists.ts'
import { listOwnTasks } from '../../db/tasks.ts'
import { toReceiptAttempt } from '../billing/receipt.ts'
import type { RelayContext } from '../relay-context.ts'
import { toClientError } from '../response/error-response.ts'
import { AttemptsFailed } from '../upstream/attempts.ts'
import { attemptTask, type Submitted } from './attempt-task.ts'
import { closeTask } from './close-task.ts'
import { keepTask } from './keep-task.ts'
import type { TaskOrder } from './order-task.ts'
import { type ReservedTask, reserveTask } from './reserve-task.ts'
import { seenTask, TASK_OUTCOME } from './seen-task.ts'
import { taskEntry } from './task-bill.ts'

/** Reserves the price, submits the task, and keeps it. The vendor's own answer is the client's. */
export async function submitTask(order: TaskOrder, gateway: RelayContext): Promise<Response> {
  const reserved = await reserveTask(order, gateway)
  const { submitted, row, endedMs } = await take(order, reserved, gateway)
  if (row && row.outcome !== 'open') await closeNow(row, gateway)
  const { channel, attempts, receipt } = submitted
  gateway.watch.answered({
    order: seenTask(order),
    trace: { attempts },
    adapted: { channel, upstreamModel: order.model },
    outcome: TASK_OUTCOME,
    endedMs,
  })
  return Response.json(receipt.json)
}

async function take(order: TaskOrder, reserved: ReservedTask, gateway: RelayContext) {
  try {
    const submitted = await attemptTask(order, gateway)
    const endedMs = elapsedMs()
    if (await isPaidAlready(order, submitted, gateway)) {
      await gateway.ledger.release(reserved.hold)
      return { submitted, row: undefined, endedMs }
    }
    return { submitted, row: await keepTask(order, reserved, submitted, gateway), endedMs }
  } catch (error) {
    await giveBack(order, reserved, error, gateway)
    throw error
  }
}

/** A button pressed twice: the vendor names the task that it does already, and the caller pays for it already. */
async function isPaidAlready(
  { caller, platform }: TaskOrder,
  { receipt: { isRepeat, state }, channel }: Submitted,
  { db }: RelayContext,
): Promise<boolean> {
  if (!isRepeat || state.taskId === '') return false
  const rows = await listOwnTasks(db, { userId: caller.userId, platform: platform.name }, [state.taskId])
  return rows.some(row => row.channel_id === channel.id && row.outcome !== 'failed')
}

/** A task that is stored is due: what cannot be written now is written by the next look at it. */
async function closeNow(row: TaskRow, gateway: RelayContext): Promise<void> {
  try {
    await closeTask(row, gateway)
  } catch (error) {
    gateway.log.error('a finished task could not be closed yet', { request_id: row.request_id, error })
  }
}

async function giveBack(
  order: TaskOrder,
  { hold }: ReservedTask,
  error: unknown,
  { ledger }: RelayContext,
): Promise<void> {
  const attempts = error instanceof AttemptsFailed ? error.trace.attempts : []
  const { status, code, message } = toClientError(error)
  await ledger.release(hold, {
    entry: {
      ...taskEntry(order, attempts.at(-1)?.channelId ?? 0),
      content: `${order.action}: ${message}`,
    },
    receipt: {
      ending: 'failed',
      provenance: 'free',
      status,
      code,
      model: { requested: order.model },
      attempts: attempts.map(toReceiptAttempt),
    },
  })
}
