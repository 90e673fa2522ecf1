import type { TestProgress } from '#contract/channels.ts'
import { nowSeconds } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'

/** The test of all channels: one run at a time, in the background. */
export interface ChannelTests {
  /** Runs `test` for each channel, one after another. False when a run is under way. */
  start(channelIds: readonly number[], test: (channelId: number) => Promise<TestOutcome>): boolean
  progress(): TestProgress
  /** Ends the run after the channel that is being tested. */
  stop(): Promise<void>
}

export interface TestOutcome {
  readonly ok: boolean
  /** What the test did to the channel. */
  readonly change: 'none' | 'enabled' | 'disabled'
}

const NEVER_RUN: TestProgress = {
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

export function openChannelTests(log: Log): ChannelTests {
  let progress = NEVER_RUN
  let isStopping = false
  let running: Promise<void> = Promise.resolve()
  const testEach: (...run: Parameters<ChannelTests['start']>) => Promise<void> = async (ids, test) => {
    for (const id of ids) {
      if (isStopping) break
      progress = counted(progress, await outcomeOf(id, test, log))
    }
    progress = { ...progress, is_running: false, finished_at: nowSeconds() }
  }
  return {
    start(ids, test) {
      if (progress.is_running || isStopping) return false
      progress = { ...NEVER_RUN, is_running: true, total: ids.length, started_at: nowSeconds() }
      running = testEach(ids, test)
      return true
    },
    progress: () => progress,
    stop() {
      isStopping = true
      return running
    },
  }
}

/** A test that throws counts as failed; the run goes on. */
async function outcomeOf(
  channelId: number,
  test: (channelId: number) => Promise<TestOutcome>,
  log: Log,
): Promise<TestOutcome> {
  try {
    return await test(channelId)
  } catch (error) {
    log.error('a channel could not be tested', { channel_id: channelId, error })
    return { ok: false, change: 'none' }
  }
}

const counted = (before: TestProgress, { ok, change }: TestOutcome): TestProgress => ({
  ...before,
  done: before.done + 1,
  succeeded: before.succeeded + (ok ? 1 : 0),
  failed: before.failed + (ok ? 0 : 1),
  disabled: before.disabled + (change === 'disabled' ? 1 : 0),
  enabled: before.enabled + (change === 'enabled' ? 1 : 0),
})
