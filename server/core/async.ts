import { elapsedMs, sleepMs } from './clock.ts'
import { GatewayError } from './errors.ts'

/**
 * Resolves or rejects as `pending` does. Rejects after `ms` milliseconds if `pending` has not settled by then; its later
 * result is ignored.
 */
export async function withTimeout<Value>(ms: number, pending: Promise<Value>): Promise<Value> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no response within ${ms} ms`)), ms)
  try {
    return await Promise.race([pending, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

const STORAGE_TIMEOUT_MS = 6_000
const STORAGE_TIMEOUT = {
  zh: '网关的存储暂时没有响应，本次请求未计费',
  en: "the gateway's storage is not responding at the moment; nothing was charged",
}

/** Limits how long a request waits for the database. Throws GatewayError `storage_failed` on a timeout or an error. */
export async function withStorageTimeout<Value>(query: Promise<Value>): Promise<Value> {
  try {
    return await withTimeout(STORAGE_TIMEOUT_MS, query)
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('storage_failed', STORAGE_TIMEOUT, { cause })
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

/**
 * Concurrent lookups share one query. `find` gets each key once, and its rejection reaches all who asked. A key that the result
 * does not have is undefined.
 */
export function batchLookups<Key, Found>(find: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>) {
  let keys = new Set<Key>()
  let waitingCount = 0
  let batch: ReturnType<typeof find> | undefined

  const runBatch: () => ReturnType<typeof find> = async () => {
    await nextBatch(() => waitingCount)
    const batchKeys = [...keys]
    keys = new Set()
    waitingCount = 0
    batch = undefined
    return find(batchKeys)
  }

  return async (key: Key): Promise<Found | undefined> => {
    keys.add(key)
    waitingCount += 1
    batch ??= runBatch()
    return (await batch).get(key)
  }
}

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/**
 * Returns a function that runs steps one after another. Each is followed by a pause as long as the step and what came right
 * after it, so that the steps take half of the time at most, however many are waiting. Rejects with what a step throws.
 */
export function createPacedQueue(): <Result>(step: () => Result) => Promise<Result> {
  let isFree = Promise.resolve()
  return step => {
    let startedMs = 0
    const result = isFree.then(() => {
      startedMs = elapsedMs()
      return step()
    })
    const pause = async () => {
      await nextTurn()
      await sleepMs(elapsedMs() - startedMs)
    }
    isFree = result.then(pause, pause)
    return result
  }
}
