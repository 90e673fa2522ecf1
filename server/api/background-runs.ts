import type { ChannelRunProgress } from '#contract/entities/channels/channels.ts'
import type { LogDeletionProgress } from '#features/logs/contract/log-deletion.ts'
import { nowSeconds, sleepMs } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'

/** A background run over channels (tests, balance updates). At most one runs at a time. */
export interface ChannelRun {
  /** Runs `work` for each channel, one after another. Returns false when a run is in progress. */
  start(channelIds: readonly number[], work: (channelId: number) => Promise<RunOutcome>): boolean
  progress(): ChannelRunProgress
  /** Ends the run after the current channel. */
  stop(): Promise<void>
}

export interface RunOutcome {
  readonly ok: boolean
  /** Change of the channel's status. */
  readonly change: 'none' | 'enabled' | 'disabled'
}

const NO_RUN: ChannelRunProgress = {
  is_running: false,
  total: 0,
  done: 0,
  succeeded: 0,
  failed: 0,
  disabled: 0,
  enabled: 0,
  started_at: 0,
  finished_at: 0,
}

export function createChannelRun(log: Logger): ChannelRun {
  let progress = NO_RUN
  let isStopping = false
  let running: Promise<void> = Promise.resolve()
  const runAll: (...run: Parameters<ChannelRun['start']>) => Promise<void> = async (ids, work) => {
    for (const id of ids) {
      if (isStopping) break
      progress = addOutcome(progress, await runOne(id, work, log))
    }
    progress = { ...progress, is_running: false, finished_at: nowSeconds() }
  }
  return {
    start(ids, work) {
      if (progress.is_running || isStopping) return false
      progress = { ...NO_RUN, is_running: true, total: ids.length, started_at: nowSeconds() }
      running = runAll(ids, work)
      return true
    },
    progress: () => progress,
    stop() {
      isStopping = true
      return running
    },
  }
}

/** A channel whose work throws counts as failed; the run continues. */
async function runOne(
  channelId: number,
  work: (channelId: number) => Promise<RunOutcome>,
  log: Logger,
): Promise<RunOutcome> {
  try {
    return await work(channelId)
  } catch (error) {
    log.error('a background run failed for one channel', { channel_id: channelId, error })
    return { ok: false, change: 'none' }
  }
}

const addOutcome = (before: ChannelRunProgress, { ok, change }: RunOutcome): ChannelRunProgress => ({
  ...before,
  done: before.done + 1,
  succeeded: before.succeeded + (ok ? 1 : 0),
  failed: before.failed + (ok ? 0 : 1),
  disabled: before.disabled + (change === 'disabled' ? 1 : 0),
  enabled: before.enabled + (change === 'enabled' ? 1 : 0),
})

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
