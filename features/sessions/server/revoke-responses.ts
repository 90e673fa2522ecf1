import type { Database } from '#server/db/engine/database.ts'
import type { Services } from '#server/feature.ts'
import { listUsableSessions, listUsableTokens } from './queries.ts'

/** Values in one query. */
const AT_ONCE = 500

type OpenResponses = Services['relay']['openResponses']

/**
 * Ends the responses in progress whose token or session has ended, whichever process ended it. What is stored decides, so
 * that no message can be missed.
 */
export async function revokeResponses(openResponses: OpenResponses, db: Database): Promise<void> {
  const open = [...openResponses]
  const tokens = await findUsable(
    open.flatMap(({ caller }) => caller.token?.id ?? []),
    ids => listUsableTokens(db, ids),
  )
  const sessions = await findUsable(
    open.flatMap(({ caller }) => caller.sessionHash ?? []),
    hashes => listUsableSessions(db, hashes),
  )
  for (const response of open) {
    const { token, sessionHash = '' } = response.caller
    if (!(token ? tokens.has(token.id) : sessions.has(sessionHash))) response.revoke()
  }
}

async function findUsable<Key>(
  keys: readonly Key[],
  list: (keys: readonly Key[]) => Promise<readonly Key[]>,
): Promise<ReadonlySet<Key>> {
  const usable = new Set<Key>()
  const distinct = [...new Set(keys)]
  for (let at = 0; at < distinct.length; at += AT_ONCE)
    for (const key of await list(distinct.slice(at, at + AT_ONCE))) usable.add(key)
  return usable
}
