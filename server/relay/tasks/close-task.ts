import { closeTask, type TaskRow } from '../../db/system/tasks.ts'
import type { RelayContext } from '../relay-context.ts'
import { billOf, failedRequestOf, holdOf } from './task-bill.ts'

/**
 * Charges a task that succeeded or gives back what was held for one that failed. Safe to repeat: the hold is closed
 * once, and a task that is interrupted here stays due.
 */
export async function settleTask(row: TaskRow, { db, ledger }: RelayContext): Promise<void> {
  if (row.outcome === 'open') throw new Error(`the task ${row.id} is open, it cannot be closed yet`)
  if (row.outcome === 'succeeded') await ledger.settle(holdOf(row), billOf(row))
  else await ledger.release(holdOf(row), failedRequestOf(row))
  await closeTask(db, row.id)
}
