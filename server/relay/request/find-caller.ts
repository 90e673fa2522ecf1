import { nextBatch } from '../../core/async.ts'
import { type Secrets, TOKEN_KEY_PURPOSE } from '../../core/crypto.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import { type CallerRow, findCallersByKeyHash } from '../../db/accounts/tokens.ts'
import type { Database } from '../../db/engine/database.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'

/** Looks up tokens and their owners. Nothing is cached, so a change applies to the next request. */
export interface CallerLookup {
  /** Undefined for an unknown or deleted token. Throws GatewayError `storage_failed` when the database does not respond. */
  find(key: string): Promise<CallerRow | undefined>
}

interface CallerLookupDeps {
  readonly db: Database
  readonly log: Logger
  readonly secrets: Pick<Secrets, 'hash'>
}

/** Concurrent lookups share one query (micro-batching). */
export function createCallerLookup({ db, log, secrets }: CallerLookupDeps): CallerLookup {
  const logFailure = throttledLog(log, 'callers could not be looked up')
  let keyHashes = new Set<string>()
  let waitingCount = 0
  let batch: Promise<ReadonlyMap<string, CallerRow>> | undefined

  const runBatch = async (): Promise<ReadonlyMap<string, CallerRow>> => {
    await nextBatch(() => waitingCount)
    const batchHashes = [...keyHashes]
    keyHashes = new Set()
    waitingCount = 0
    batch = undefined
    try {
      return await withStorageTimeout(findCallersByKeyHash(db, batchHashes))
    } catch (error) {
      logFailure({ error })
      throw error
    }
  }

  return {
    async find(key) {
      const keyHash = secrets.hash(TOKEN_KEY_PURPOSE, key)
      keyHashes.add(keyHash)
      waitingCount += 1
      batch ??= runBatch()
      return (await batch).get(keyHash)
    },
  }
}
