import { elapsedMs } from '../../core/clock.ts'
import { listOwnTasks, type TaskRow } from '../../db/system/tasks.ts'
import type { Reservation } from '../billing/estimate-hold.ts'
import { toReceiptAttempt } from '../billing/receipt.ts'
import type { RelayContext } from '../relay-context.ts'
import { AttemptsFailed, toClientError } from '../routing/attempts.ts'
import type { RoutePlan } from '../routing/choose-route.ts'
import { attemptTask, type Submitted } from './attempt-task.ts'
import { settleTask } from './close-task.ts'
import { keepTask } from './keep-task.ts'
import { TASK_OUTCOME, toObservedTask } from './observed-task.ts'
import type { TaskRequest } from './parse-task-request.ts'
import { taskEntry } from './task-bill.ts'

/** A task with its money reserved. */
export interface PaidTask {
  readonly request: TaskRequest
  readonly plan: RoutePlan
  readonly reservation: Reservation
}

/**
 * Submits the task to a channel and stores it, which hands the hold over to it. The client gets the vendor's own response.
 * Releases the hold and rejects when no channel accepts the task or it cannot be stored.
 */
export async function submitTask(paid: PaidTask, context: RelayContext): Promise<Response> {
  const { request } = paid
  const { submitted, row, endedMs } = await submitAndStore(paid, context)
  if (row && row.outcome !== 'open') await closeNow(row, context)
  const { channel, attempts, receipt } = submitted
  context.observer.requestCompleted({
    request: toObservedTask(request),
    trace: { attempts },
    upstream: { channel, upstreamModel: request.model },
    outcome: TASK_OUTCOME,
    endedMs,
  })
  return Response.json(receipt.json)
}

async function submitAndStore({ request, plan, reservation }: PaidTask, context: RelayContext) {
  try {
    const submitted = await attemptTask(request, plan, context)
    const endedMs = elapsedMs()
    if (await isPaidAlready(request, submitted, context)) {
      await context.ledger.release(reservation.hold)
      return { submitted, row: undefined, endedMs }
    }
    return { submitted, row: await keepTask(request, reservation, submitted, context), endedMs }
  } catch (error) {
    await giveBack(request, reservation, error, context)
    throw error
  }
}

/** A button pressed twice: the vendor names the task that it does already, and the caller pays for it already. */
async function isPaidAlready(
  { caller, platform }: TaskRequest,
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
    await settleTask(row, gateway)
  } catch (error) {
    gateway.log.error('a finished task could not be closed yet', { request_id: row.request_id, error })
  }
}

async function giveBack(
  order: TaskRequest,
  { hold }: Reservation,
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
