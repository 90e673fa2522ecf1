import { everyMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { Logger } from '#server/core/logger.ts'

const CHECK_INTERVAL_MS = 30_000

interface PriceFeedJob {
  /** Applies approved prices whose time has come. */
  readonly applyDue: () => Promise<unknown>
  /** Reads the feed of the options if it is due. */
  readonly readDaily: () => Promise<unknown>
  readonly log: Logger
}

/** Applies scheduled prices and reads the daily price feed. The returned function stops the job. */
export function startPriceFeed(
  { applyDue, readDaily, log }: PriceFeedJob,
  intervalMs = CHECK_INTERVAL_MS,
): () => Promise<void> {
  const run = async (work: () => Promise<unknown>, failure: string) => {
    try {
      await work()
    } catch (error) {
      log.warn(failure, { reason: errorMessage(error) })
    }
  }
  return everyMs(intervalMs, async () => {
    await run(applyDue, 'scheduled prices could not be applied')
    await run(readDaily, 'the price feed could not be read')
  })
}
