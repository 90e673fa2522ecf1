import { gatherCompany } from '../../core/gather-company.ts'
import { TOKEN_KEY_PURPOSE } from '../../core/hash-purposes.ts'
import type { Log } from '../../core/log.ts'
import { openRareLine } from '../../core/rare-line.ts'
import { remembered } from '../../core/remembered.ts'
import type { Secrets } from '../../core/secrets.ts'
import { type CallerRow, findCallersByKeyHash } from '../../db/callers.ts'
import type { Database } from '../../db/database.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'

/** Reads tokens and their owners as they are now: nothing is kept, so nothing can be stale. */
export interface CallerLookup {
  /** Undefined for an unknown or deleted token. Throws GatewayError storage_failed when the database does not answer. */
  find(key: string): Promise<CallerRow | undefined>
}

interface CallerLookupDeps {
  readonly db: Database
  readonly log: Log
  readonly secrets: Pick<Secrets, 'hash'>
}

/** A hash costs five times what it takes to remember one. */
const HASHES_REMEMBERED_MAX = 10_000

/** Look-ups share one query until a turn of the event loop brings no further one. */
export function createCallerLookup({ db, log, secrets }: CallerLookupDeps): CallerLookup {
  const hashOf = remembered(key => secrets.hash(TOKEN_KEY_PURPOSE, key), HASHES_REMEMBERED_MAX)
  const noteFailure = openRareLine(log, 'callers could not be looked up')
  let wanted = new Set<string>()
  let waiting = 0
  let turn: Promise<ReadonlyMap<string, CallerRow>> | undefined

  const ask = async (): Promise<ReadonlyMap<string, CallerRow>> => {
    await gatherCompany(() => waiting)
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
