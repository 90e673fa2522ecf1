import type { TestProgress } from '#contract/channels/channels.ts'
import { nowSeconds } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'

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
