import { nowSeconds, sleepMs } from '#server/core/clock.ts'
import type { LogDeletionProgress } from '../contract/log-deletion.ts'

/** The embedded database deletes without ever returning to the event loop, so other requests need a pause. */
const DELETION_PAUSE_MS = 5

/** Deletes one batch and returns the number of rows; 0 means that none are left. */
type DeleteBatch = () => Promise<number>

/** Deletes old log rows in batches, so that requests are served in between. At most one deletion runs at a time. */
export interface LogDeletion {
  /** Resolves with the number of deleted rows. Undefined when a deletion is in progress. */
  start(run: DeletionRun): Promise<number> | undefined
  progress(): LogDeletionProgress
  /** Ends the deletion after the current batch. */
  stop(): Promise<void>
}

interface DeletionRun {
  readonly beforeSeconds: number
  /** Estimated number of rows, for the progress. */
  readonly total: number
  readonly deleteBatch: DeleteBatch
}

const NO_DELETION: LogDeletionProgress = {
  is_running: false,
  target_timestamp: 0,
  total: 0,
  deleted: 0,
  has_failed: false,
  started_at: 0,
  finished_at: 0,
}

export function createLogDeletion(): LogDeletion {
  let progress = NO_DELETION
  let isStopping = false
  let running: Promise<unknown> = Promise.resolve()
  const deleteAll = async ({ deleteBatch }: DeletionRun): Promise<number> => {
    try {
      for (let count = await deleteBatch(); count > 0; count = isStopping ? 0 : await deleteBatch()) {
        const deleted = progress.deleted + count
        progress = { ...progress, deleted, total: Math.max(progress.total, deleted) }
        await sleepMs(DELETION_PAUSE_MS)
      }
      return progress.deleted
    } catch (error) {
      progress = { ...progress, has_failed: true }
      throw error
    } finally {
      progress = { ...progress, is_running: false, finished_at: nowSeconds() }
    }
  }
  return {
    start(run) {
      if (progress.is_running || isStopping) return undefined
      progress = {
        ...NO_DELETION,
        is_running: true,
        target_timestamp: run.beforeSeconds,
        total: run.total,
        started_at: nowSeconds(),
      }
      const deleting = deleteAll(run)
      running = deleting.catch(() => undefined)
      return deleting
    },
    progress: () => progress,
    async stop() {
      isStopping = true
      await running
    },
  }
}
