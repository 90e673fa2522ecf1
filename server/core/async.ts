import { startTimer } from './timers.ts'

/**
 * Resolves or rejects as `pending` does. Rejects after `ms` milliseconds if `pending` has not settled by then; its later
 * result is ignored.
 */
export async function withTimeout<Value>(ms: number, pending: Promise<Value>): Promise<Value> {
  const timeout = Promise.withResolvers<never>()
  const timer = startTimer(ms, () => timeout.reject(new Error(`no answer within ${ms} ms`)))
  try {
    return await Promise.race([pending, timeout.promise])
  } finally {
    timer.cancel()
  }
}

/** Under load every turn adds work, so the wait needs an end. */
const BATCH_TURNS_MAX = 8

/**
 * Micro-batching: resolves after the first turn of the event loop that adds no work (8 turns at most). A lone caller
 * waits for one turn. `count` returns the size of the batch so far.
 */
export async function nextBatch(count: () => number): Promise<void> {
  let previousCount = 0
  let turns = 0
  do {
    previousCount = count()
    turns += 1
    await nextTurn()
  } while (count() > previousCount && turns < BATCH_TURNS_MAX)
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
