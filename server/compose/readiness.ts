import { errorMessage } from '../core/errors.ts'
import { withTimeout } from '../core/async.ts'
import { isMigrated, type OpenDatabase } from '../db/engine/database.ts'
import type { Readiness } from '../http/probes.ts'

/** Who asks waits little longer. */
const ANSWER_MS_MAX = 2_000

/** What `/readyz` answers: after `drain` that the process is not ready. */
export function openReadiness(database: OpenDatabase, isWriting: () => boolean) {
  let isDraining = false
  return {
    drain() {
      isDraining = true
    },
    async read(): Promise<Readiness> {
      if (isDraining) return { isReady: false, reason: 'the process is shutting down' }
      if (!isWriting()) return { isReady: false, reason: 'the database takes no writes' }
      try {
        return (await withTimeout(ANSWER_MS_MAX, isMigrated(database)))
          ? { isReady: true }
          : { isReady: false, reason: 'the database schema is not the version of this program' }
      } catch (error) {
        return { isReady: false, reason: `the database does not answer: ${errorMessage(error)}` }
      }
    },
  }
}
