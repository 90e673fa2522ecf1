import { nowMs } from '../../core/clock.ts'
import { setTaskOutcome, type TaskRow, updateTask } from '../../db/system/tasks.ts'
import type { TaskState } from '../../provider-kit/contract/task.ts'
import type { RelayContext } from '../relay-context.ts'
import { settleTask } from './close-task.ts'
import { leaseEndMs, nextDueMs } from './due.ts'

type Told = Omit<TaskState, 'taskId'>

/**
 * Notes what a vendor told of an open task, by whatever way it came. When that ends the task, whoever notes it first
 * closes it; what others tell later changes nothing.
 */
export async function recordState(row: TaskRow, told: Told, gateway: RelayContext): Promise<void> {
  const { outcome } = told
  const now = nowMs()
  const change = {
    status: told.status,
    progress: told.progress,
    fail_reason: told.failReason,
    detail: told.detail === undefined ? row.detail : JSON.stringify(told.detail),
    submit_time_ms: told.submitTimeMs || row.submit_time_ms,
    start_time_ms: told.startTimeMs || row.start_time_ms,
    finish_time_ms: told.finishTimeMs || (outcome === 'open' ? 0 : now),
    updated_at_ms: now,
  }
  if (outcome === 'open') {
    await updateTask(gateway.db, row.id, { ...change, due_ms: nextDueMs(row.created_at_ms, now) })
    return
  }
  const quota = outcome === 'failed' ? 0 : row.quota
  const decided = { ...change, outcome, quota, due_ms: leaseEndMs(now) }
  if (await setTaskOutcome(gateway.db, row.id, decided)) await settleTask({ ...row, ...decided }, gateway)
}

/** Ends a task of which its vendor will tell nothing more. */
export const failTask = (row: TaskRow, failReason: string, gateway: RelayContext): Promise<void> =>
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
    gateway,
  )
