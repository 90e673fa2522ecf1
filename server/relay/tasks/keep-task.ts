import { nowMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { assignHoldToTask } from '../../db/billing/holds.ts'
import { inTransaction } from '../../db/engine/database.ts'
import { insertTask, type NewTask, type TaskRow } from '../../db/system/tasks.ts'
import type { Reservation } from '../billing/estimate-hold.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Submitted } from './attempt-task.ts'
import { firstDueMs, leaseEndMs } from './due.ts'
import { taskCharge } from './estimate-task-hold.ts'
import type { TaskRequest } from './parse-task-request.ts'
import { writeBill } from './task-bill.ts'
import { markOfKey } from './task-key.ts'

/** Of what is shown in lists; the vendor gets all of it. */
const PROMPT_KEPT_CHARACTERS_MAX = 10_000

/**
 * Stores a task and makes its hold its own, both or none: from then on it is followed and paid whatever becomes of
 * this process. Throws GatewayError storage_failed when the hold was given back meanwhile.
 */
export const keepTask = (
  order: TaskRequest,
  reserved: Reservation,
  submitted: Submitted,
  gateway: RelayContext,
): Promise<TaskRow> =>
  inTransaction(gateway.db, async tx => {
    if (!(await assignHoldToTask(tx, order.requestId)))
      throw new GatewayError(
        'storage_failed',
        'what was reserved for the task was given back before it was stored',
      )
    return insertTask(tx, toRow(order, reserved, submitted, gateway))
  })

function toRow(
  order: TaskRequest,
  reserved: Reservation,
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
    quota: state.outcome === 'failed' ? 0 : taskCharge(reserved).amount,
    bill: writeBill({ keyMark: markOfKey(channel.view.key, gateway), order, reserved, attempts }),
    created_at_ms: now,
    updated_at_ms: now,
    submit_time_ms: state.submitTimeMs || now,
    start_time_ms: state.startTimeMs || (isDone ? now : 0),
    finish_time_ms: state.finishTimeMs || (isDone ? now : 0),
    due_ms: isDone ? leaseEndMs(now) : firstDueMs(now),
  }
}
