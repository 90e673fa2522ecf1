import { nextBatch } from '../../core/async.ts'
import { type Secrets, TOKEN_KEY_PURPOSE } from '../../core/crypto.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import { memoize } from '../../core/memoize.ts'
import { type CallerRow, findCallersByKeyHash } from '../../db/accounts/tokens.ts'
import type { Database } from '../../db/engine/database.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'

/** Reads tokens and their owners as they are now: nothing is kept, so nothing can be stale. */
export interface CallerLookup {
  /** Undefined for an unknown or deleted token. Throws GatewayError storage_failed when the database does not answer. */
  find(key: string): Promise<CallerRow | undefined>
}

interface CallerLookupDeps {
  readonly db: Database
  readonly log: Logger
  readonly secrets: Pick<Secrets, 'hash'>
}

/** A hash costs five times what it takes to remember one. */
const HASHES_REMEMBERED_MAX = 10_000

/** Look-ups share one query until a turn of the event loop brings no further one. */
export function createCallerLookup({ db, log, secrets }: CallerLookupDeps): CallerLookup {
  const hashOf = memoize(key => secrets.hash(TOKEN_KEY_PURPOSE, key), HASHES_REMEMBERED_MAX)
  const noteFailure = throttledLog(log, 'callers could not be looked up')
  let wanted = new Set<string>()
  let waiting = 0
  let turn: Promise<ReadonlyMap<string, CallerRow>> | undefined

  const ask = async (): Promise<ReadonlyMap<string, CallerRow>> => {
    await nextBatch(() => waiting)
    const keyHashes = [...wanted]
    wanted = new Set()
    waiting = 0
    turn = undefined
    try {
      return await withStorageTimeout(findCallersByKeyHash(db, keyHashes))
    } catch (error) {
      noteFailure({ error })
      throw error
    }
  }

  return {
    find(key) {
      const keyHash = hashOf(key)
      wanted.add(keyHash)
      waiting += 1
      turn ??= ask()
      return turn.then(found => found.get(keyHash))
    },
  }
}
