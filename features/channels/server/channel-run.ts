import { nowSeconds } from '#server/core/clock.ts'
import type { Logger } from '#server/core/logger.ts'
import type { ChannelRunProgress } from '../contract/channels.ts'

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
  /** What happened to the channel's status. */
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
