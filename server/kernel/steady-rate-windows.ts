import { messageOf } from './errors.ts'
import { inTime } from './in-time.ts'
import type { Log } from './log.ts'
import { openRareLine } from './rare-line.ts'
import type { RateWindows } from './rate-windows.ts'

/** Longer than any place takes that is well: a request waits for this once. */
const ANSWER_MS_MAX = 2_000

/**
 * Counts in the shared place, and in `local` while that does not answer: a limit then holds for each process by itself,
 * and nobody is turned away because counting failed.
 */
export function openSteadyRateWindows(shared: RateWindows, local: RateWindows, log: Log): RateWindows {
  const noteFailure = openRareLine(
    log,
    'rates are counted by each process for itself, the shared count does not answer',
  )
  const note = (error: unknown): void => noteFailure({ reason: messageOf(error) })
  const either = async <Result>(ask: (windows: RateWindows) => Promise<Result>): Promise<Result> => {
    try {
      return await inTime(ANSWER_MS_MAX, ask(shared))
    } catch (error) {
      note(error)
      return ask(local)
    }
  }
  return {
    take: (limit, subject) => either(windows => windows.take(limit, subject)),
    look: (limit, subject) => either(windows => windows.look(limit, subject)),
    async giveBack(limit, subject, place) {
      await inTime(ANSWER_MS_MAX, shared.giveBack(limit, subject, place)).catch(note)
      await local.giveBack(limit, subject, place)
    },
    close: async () => void (await Promise.allSettled([shared.close(), local.close()])),
  }
}
