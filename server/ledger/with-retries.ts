import { sleepMs } from '../core/clock.ts'

/**
 * SQLSTATEs of a transaction that conflicted with another one and only needs another attempt: serialization failure and
 * deadlock (postgresql.org/docs/current/errcodes-appendix.html). For a locked SQLite file the driver has waited already.
 */
const RETRYABLE_SQLSTATES = new Set(['40001', '40P01'])
const ATTEMPTS_MAX = 8
const PAUSE_MS_MAX = 40

/** Repeats a transaction that conflicted with another one, after a short random pause. Rethrows all other errors. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isTransactionConflict(error)) throw error
      await sleepMs(Math.random() * PAUSE_MS_MAX)
    }
  }
}

const isTransactionConflict = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  RETRYABLE_SQLSTATES.has(error.code)
