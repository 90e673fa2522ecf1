import { type CallerRow, findCallersByKeyHash } from '../db/callers.ts'
import type { Database } from '../db/database.ts'

/** Reads tokens and their owners as they are now: nothing is kept, so nothing can be stale. */
export interface CallerLookup {
  /** Undefined for an unknown or deleted token. */
  find(keyHash: string): Promise<CallerRow | undefined>
}

/** All look-ups of one turn of the event loop share one query. */
export function openCallerLookup(db: Database): CallerLookup {
  let wanted = new Set<string>()
  let turn: Promise<ReadonlyMap<string, CallerRow>> | undefined

  const ask = async (): Promise<ReadonlyMap<string, CallerRow>> => {
    await endOfTurn()
    const keyHashes = [...wanted]
    wanted = new Set()
    turn = undefined
    return findCallersByKeyHash(db, keyHashes)
  }

  return {
    async find(keyHash) {
      wanted.add(keyHash)
      turn ??= ask()
      return (await turn).get(keyHash)
    },
  }
}

const endOfTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
