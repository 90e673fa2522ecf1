import { everyMs } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'

interface TaskFollowing {
  /** Looks once at tasks that are due and gives how many there were. */
  readonly follow: (signal: AbortSignal) => Promise<number>
  readonly log: Logger
}

const LOOK_MS = 1000

/** Follows tasks until they end. The function it gives stops the work: call it before the ledger is closed. */
export function startTaskFollowing({ follow, log }: TaskFollowing): () => Promise<void> {
  const stopping = new AbortController()
  const stop = everyMs(LOOK_MS, async () => {
    try {
      while (!stopping.signal.aborted && (await follow(stopping.signal)) > 0);
    } catch (error) {
      log.error('tasks could not be followed', { error })
    }
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
