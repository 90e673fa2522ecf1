import { elapsedMs } from './clock.ts'
import { messageOf } from './errors.ts'
import type { Log } from './log.ts'
import type { RateWindows } from './rate-windows.ts'

const SAID_EVERY_MS = 60_000

/**
 * Counts in the shared place, and in `local` while that does not answer: a limit then holds for each process by itself,
 * and nobody is turned away because counting failed.
 */
export function openSteadyRateWindows(shared: RateWindows, local: RateWindows, log: Log): RateWindows {
  let saidAtMs = Number.NEGATIVE_INFINITY
  const note = (error: unknown): void => {
    if (elapsedMs() - saidAtMs < SAID_EVERY_MS) return
    saidAtMs = elapsedMs()
    log.error('rates are counted by each process for itself, the shared count does not answer', {
      reason: messageOf(error),
    })
  }
  const either = async <Result>(ask: (windows: RateWindows) => Promise<Result>): Promise<Result> => {
    try {
      return await ask(shared)
    } catch (error) {
      note(error)
      return ask(local)
    }
  }
  return {
    take: (limit, subject) => either(windows => windows.take(limit, subject)),
    look: (limit, subject) => either(windows => windows.look(limit, subject)),
    async giveBack(limit, subject, place) {
      await shared.giveBack(limit, subject, place).catch(note)
      await local.giveBack(limit, subject, place)
    },
    close: async () => void (await Promise.allSettled([shared.close(), local.close()])),
  }
}
