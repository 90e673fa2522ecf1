import { everyMs } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'

const EVERY_SECONDS = 60

/** Credits the unpaid orders that turn out to be paid; gives how many. */
type FollowOrders<Parts> = (parts: Parts, everySeconds: number, signal: AbortSignal) => Promise<number>

/** Follows up orders whose payment notice may have been lost. The function it gives stops the work. */
export function startOrderFollowing<Parts extends { readonly log: Logger }>(
  parts: Parts,
  followOrders: FollowOrders<Parts>,
): () => Promise<void> {
  const { log } = parts
  const stopping = new AbortController()
  const stop = everyMs(EVERY_SECONDS * 1000, async () => {
    try {
      const credited = await followOrders(parts, EVERY_SECONDS, stopping.signal)
      if (credited > 0) log.warn('paid orders were credited without a notice of theirs', { credited })
    } catch (error) {
      log.error('unpaid orders could not be followed up', { reason: errorMessage(error) })
    }
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
