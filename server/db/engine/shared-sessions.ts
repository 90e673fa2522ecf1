import { SQL } from 'bun'
import { withTimeout } from '../../core/async.ts'

const CONNECT_SECONDS_MAX = 5
const RESPONSE_MS_MAX = 10_000
/** Other clients of a pooler take some of the sessions that a round wants to see shared. */
const ROUNDS = 6
/** For a few milliseconds: clients in step with each other would get the same session each time. */
const SESSION = 'select pg_backend_pid() as id, pg_sleep(random() * 0.01)'

/** By the address of the server, for the life of the process: a pooler does not change its mode. */
const checked = new Map<string, Promise<boolean>>()

/**
 * Whether a pooler between the gateway and PostgreSQL shares sessions by transaction. A statement that one client prepared is
 * then missing for it later, and found by another client that prepares one of the same name.
 */
export function hasSharedSessions(url: string): Promise<boolean> {
  const { host = url, search = '' } = URL.parse(url) ?? {}
  const known = checked.get(host + search)
  if (known) return known
  const checking = withTimeout(RESPONSE_MS_MAX, compareSessions(url))
  checked.set(host + search, checking)
  checking.catch(() => checked.delete(host + search))
  return checking
}

/**
 * If sessions are shared, a second connection takes the one that the first used last, or, where other clients took that, a
 * connection goes on with another one than before.
 */
async function compareSessions(url: string): Promise<boolean> {
  const client = new SQL({ url, max: 2, connectionTimeout: CONNECT_SECONDS_MAX })
  try {
    const [first, second] = [await client.reserve(), await client.reserve()]
    const pairs = new Set<string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const [[one], [other]] = [await first.unsafe(SESSION), await second.unsafe(SESSION)]
      if (one.id === other.id || pairs.add(`${one.id} ${other.id}`).size > 1) return true
    }
    return false
  } finally {
    client.close({ timeout: 0 }).catch(() => undefined)
  }
}
