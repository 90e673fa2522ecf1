import { elapsedMs } from './clock.ts'
import { messageOf } from './errors.ts'
import { inTime } from './in-time.ts'
import type { Log } from './log.ts'
import { openRareLine } from './rare-line.ts'
import type { RateWindows } from './rate-windows.ts'

/** Longer than any place takes that is well. */
const ANSWER_MS_MAX = 2_000
/** A place that did not answer is left alone for so long, and then asked by one: many would wait for it in vain. */
const LEFT_ALONE_MS = 5_000

/**
 * Counts in the shared place, and in `local` while that does not answer: a limit then holds for each process by itself,
 * and nobody is turned away because counting failed.
 */
export function openSteadyRateWindows(shared: RateWindows, local: RateWindows, log: Log): RateWindows {
  const noteFailure = openRareLine(
    log,
    'rates are counted by each process for itself, the shared count does not answer',
  )
  let askAgainAtMs = 0
  const isLeftAlone = (): boolean => elapsedMs() < askAgainAtMs
  const askShared = async <Result>(ask: (windows: RateWindows) => Promise<Result>): Promise<Result> => {
    if (askAgainAtMs > 0) askAgainAtMs = elapsedMs() + ANSWER_MS_MAX
    const result = await inTime(ANSWER_MS_MAX, ask(shared))
    askAgainAtMs = 0
    return result
  }
  const note = (error: unknown): void => {
    askAgainAtMs = elapsedMs() + LEFT_ALONE_MS
    noteFailure({ reason: messageOf(error) })
  }
  const either = async <Result>(ask: (windows: RateWindows) => Promise<Result>): Promise<Result> => {
    if (isLeftAlone()) return ask(local)
    try {
      return await askShared(ask)
    } catch (error) {
      note(error)
      return ask(local)
    }
  }
  return {
    take: (limit, subject) => either(windows => windows.take(limit, subject)),
    look: (limit, subject) => either(windows => windows.look(limit, subject)),
    async giveBack(limit, subject, place) {
      if (!isLeftAlone()) await askShared(windows => windows.giveBack(limit, subject, place)).catch(note)
      await local.giveBack(limit, subject, place)
    },
    close: async () => void (await Promise.allSettled([shared.close(), local.close()])),
  }
}
