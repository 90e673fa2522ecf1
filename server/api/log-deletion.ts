import type { LogDeletionProgress } from '#contract/logs/log-deletion.ts'
import { nowSeconds } from '../core/clock.ts'

/** Deletes some rows and gives how many: 0 means that none are left. */
export type DeleteSome = () => Promise<number>

/** Deleting old log rows: one run at a time, a piece at a time, so that callers' requests go on between the pieces. */
export interface LogDeletion {
  /** Undefined when a run is under way; else the number of rows, once they are gone. */
  start(run: DeletionRun): Promise<number> | undefined
  progress(): LogDeletionProgress
  /** Ends the run after the piece that it is at. */
  stop(): Promise<void>
}

export interface DeletionRun {
  readonly beforeSeconds: number
  /** About how many rows there are. */
  readonly total: number
  readonly deleteSome: DeleteSome
}

const NEVER_RUN: LogDeletionProgress = {
  is_running: false,
  target_timestamp: 0,
  total: 0,
  deleted: 0,
  has_failed: false,
  started_at: 0,
  finished_at: 0,
}

export function openLogDeletion(): LogDeletion {
  let progress = NEVER_RUN
  let isStopping = false
  let running: Promise<unknown> = Promise.resolve()
  const deleteAll = async ({ deleteSome }: DeletionRun): Promise<number> => {
    try {
      for (let count = await deleteSome(); count > 0; count = isStopping ? 0 : await deleteSome()) {
        const deleted = progress.deleted + count
        progress = { ...progress, deleted, total: Math.max(progress.total, deleted) }
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
        ...NEVER_RUN,
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
