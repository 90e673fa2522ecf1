import { nowMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { inTransaction } from '../../db/database.ts'
import { handOverToTask } from '../../db/holds.ts'
import type { TaskRow } from '../../db/task-lists.ts'
import { insertTask, type NewTask } from '../../db/tasks.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Submitted } from './attempt-task.ts'
import { firstDueMs, leaseEndMs } from './due.ts'
import type { TaskOrder } from './order-task.ts'
import type { ReservedTask } from './reserve-task.ts'
import { writeBill } from './task-bill.ts'
import { markOfKey } from './task-key.ts'

/** Of what is shown in lists; the vendor gets all of it. */
const PROMPT_KEPT_CHARACTERS_MAX = 10_000

/**
 * Stores a task and makes its hold its own, both or none: from then on it is followed and paid whatever becomes of
 * this process. Throws GatewayError storage_failed when the hold was given back meanwhile.
 */
export const keepTask = (
  order: TaskOrder,
  reserved: ReservedTask,
  submitted: Submitted,
  gateway: RelayContext,
): Promise<TaskRow> =>
  inTransaction(gateway.db, async tx => {
    if (!(await handOverToTask(tx, order.requestId)))
      throw new GatewayError(
        'storage_failed',
        'what was reserved for the task was given back before it was stored',
      )
    return insertTask(tx, toRow(order, reserved, submitted, gateway))
  })

function toRow(
  order: TaskOrder,
  reserved: ReservedTask,
  { channel, receipt, attempts }: Submitted,
  gateway: RelayContext,
): NewTask {
  const now = nowMs()
  const { state } = receipt
  const isDone = state.outcome !== 'open'
  return {
    request_id: order.requestId,
    platform: order.platform.name,
    task_id: state.taskId,
    user_id: order.caller.userId,
    channel_id: channel.id,
    action: order.action,
    mode: order.mode,
    code: receipt.code,
    prompt: order.prompt.slice(0, PROMPT_KEPT_CHARACTERS_MAX),
    outcome: state.outcome,
    status: state.status,
    progress: state.progress,
    fail_reason: state.failReason,
    detail: state.detail === undefined ? '' : JSON.stringify(state.detail),
    quota: state.outcome === 'failed' ? 0 : reserved.charge.amount,
    bill: writeBill({ keyMark: markOfKey(channel.view.key, gateway), order, reserved, attempts }),
    created_at_ms: now,
    updated_at_ms: now,
    submit_time_ms: state.submitTimeMs || now,
    start_time_ms: state.startTimeMs || (isDone ? now : 0),
    finish_time_ms: state.finishTimeMs || (isDone ? now : 0),
    due_ms: isDone ? leaseEndMs(now) : firstDueMs(now),
  }
}
