import { elapsedMs } from './clock.ts'
import type { Log, LogFields } from './log.ts'

const SAID_EVERY_MS = 60_000

/**
 * For what many requests meet at once, such as a full disk: the first is told, then one in a minute, with the number
 * of those that were not.
 */
export function openRareLine(log: Log, message: string): (fields: LogFields) => void {
  let saidAtMs = Number.NEGATIVE_INFINITY
  let unsaid = 0
  return fields => {
    if (elapsedMs() - saidAtMs < SAID_EVERY_MS) {
      unsaid += 1
      return
    }
    log.error(message, unsaid > 0 ? { ...fields, unsaid } : fields)
    saidAtMs = elapsedMs()
    unsaid = 0
  }
}
