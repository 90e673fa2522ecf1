import type { TestProgress } from '#contract/channels/channels.ts'
import { nowSeconds } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { LogDeletionProgress } from '#contract/logs/log-deletion.ts'

/** Something done to all channels: one run at a time, in the background. */
export interface ChannelRun {
  /** Does `work` for each channel, one after another. False when a run is under way. */
  start(channelIds: readonly number[], work: (channelId: number) => Promise<RunOutcome>): boolean
  progress(): TestProgress
  /** Ends the run after the channel that it is at. */
  stop(): Promise<void>
}

export interface RunOutcome {
  readonly ok: boolean
  /** What came of it for the channel. */
  readonly change: 'none' | 'enabled' | 'disabled'
}

const NO_RUN: TestProgress = {
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
  const doEach: (...run: Parameters<ChannelRun['start']>) => Promise<void> = async (ids, work) => {
    for (const id of ids) {
      if (isStopping) break
      progress = counted(progress, await outcomeOf(id, work, log))
    }
    progress = { ...progress, is_running: false, finished_at: nowSeconds() }
  }
  return {
    start(ids, work) {
      if (progress.is_running || isStopping) return false
      progress = { ...NO_RUN, is_running: true, total: ids.length, started_at: nowSeconds() }
      running = doEach(ids, work)
      return true
    },
    progress: () => progress,
    stop() {
      isStopping = true
      return running
    },
  }
}

/** Work that throws counts as failed; the run goes on. */
async function outcomeOf(
  channelId: number,
  work: (channelId: number) => Promise<RunOutcome>,
  log: Logger,
): Promise<RunOutcome> {
  try {
    return await work(channelId)
  } catch (error) {
    log.error('a run over all channels failed at one', { channel_id: channelId, error })
    return { ok: false, change: 'none' }
  }
}

const counted = (before: TestProgress, { ok, change }: RunOutcome): TestProgress => ({
  ...before,
  done: before.done + 1,
  succeeded: before.succeeded + (ok ? 1 : 0),
  failed: before.failed + (ok ? 0 : 1),
  disabled: before.disabled + (change === 'disabled' ? 1 : 0),
  enabled: before.enabled + (change === 'enabled' ? 1 : 0),
})

/** Deletes some rows and gives how many: 0 means that none are left. */
type DeleteSome = () => Promise<number>

/** Deleting old log rows: one run at a time, a piece at a time, so that callers' requests go on between the pieces. */
export interface LogDeletion {
  /** Undefined when a run is under way; else the number of rows, once they are gone. */
  start(run: DeletionRun): Promise<number> | undefined
  progress(): LogDeletionProgress
  /** Ends the run after the piece that it is at. */
  stop(): Promise<void>
}

interface DeletionRun {
  readonly beforeSeconds: number
  /** About how many rows there are. */
  readonly total: number
  readonly deleteSome: DeleteSome
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
