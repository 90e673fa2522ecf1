import { type CallerRow, findCallersByKeyHash } from '../db/callers.ts'
import type { Database } from '../db/database.ts'
import { setDeadline } from '../kernel/deadlines.ts'
import { GatewayError } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { openRareLine } from '../kernel/rare-line.ts'

/** Reads tokens and their owners as they are now: nothing is kept, so nothing can be stale. */
export interface CallerLookup {
  /** Undefined for an unknown or deleted token. Throws GatewayError storage_failed when the database does not answer. */
  find(keyHash: string): Promise<CallerRow | undefined>
}

const ANSWER_MS_MAX = 6_000
const UNANSWERED = 'the gateway’s storage does not answer at the moment; nothing was charged'

/** All look-ups of one turn of the event loop share one query. */
export function openCallerLookup(db: Database, log: Log): CallerLookup {
  const noteFailure = openRareLine(log, 'callers could not be looked up')
  let wanted = new Set<string>()
  let turn: Promise<ReadonlyMap<string, CallerRow>> | undefined

  const ask = async (): Promise<ReadonlyMap<string, CallerRow>> => {
    await endOfTurn()
    const keyHashes = [...wanted]
    wanted = new Set()
    turn = undefined
    try {
      return await inTime(findCallersByKeyHash(db, keyHashes))
    } catch (cause) {
      noteFailure({ error: cause })
      throw new GatewayError('storage_failed', UNANSWERED, { cause })
    }
  }

  return {
    async find(keyHash) {
      wanted.add(keyHash)
      turn ??= ask()
      return (await turn).get(keyHash)
    },
  }
}

async function inTime<Value>(asked: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const deadline = setDeadline(ANSWER_MS_MAX, () =>
    late.reject(new Error(`no answer within ${ANSWER_MS_MAX} ms`)),
  )
  try {
    return await Promise.race([asked, late.promise])
  } finally {
    deadline.drop()
  }
}

const endOfTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
