import type { SQL } from 'bun'
import { elapsedMs, everyMs } from '../../core/clock.ts'
import { createPostgresClient, type DatabaseLocation } from './database.ts'
import { PostgresServers } from './postgres-dialect.ts'

/** Hears of changes that other processes commit to a PostgreSQL database. */
export interface ChangeListener {
  /** Whether notifications arrive: the heartbeats of this process at least. */
  isHearing(): boolean
  stop(): Promise<void>
}

/** The channel and the payloads of the triggers of migration 0024. */
const CHANNEL = 'tollgate-changes'
const HEARTBEAT = 'heartbeat'
/** Two heartbeats at least. */
const NOTIFICATION_GAP_MS_MAX = 7_000
const CHECK_MS = 1_000
/** A new connection hears a heartbeat by then, unless a pooler keeps it from hearing: then the pause doubles. */
const PAUSE_MS_MIN = 4_000
const PAUSE_MS_MAX = 30_000

/**
 * Calls `onChange` after each commit that changed a version, and when the listening connection was opened anew and may have
 * missed one. A connection that was closed is replaced within a second, by one to the server that then accepts writes, and one
 * that hears nothing too. Behind a pooler that shares sessions between clients nothing is ever heard.
 */
export function listenForChanges(location: DatabaseLocation, onChange: () => void): ChangeListener {
  let heardAtMs = Number.NEGATIVE_INFINITY
  let nextOpenMs = Number.NEGATIVE_INFINITY
  let pauseMs = PAUSE_MS_MIN
  let client: SQL | undefined
  const hear = (payload: string) => {
    heardAtMs = elapsedMs()
    pauseMs = PAUSE_MS_MIN
    if (payload !== HEARTBEAT) onChange()
  }
  const servers = new PostgresServers(location.url)
  const close = () => {
    const closed = client
    client = undefined
    return closed?.close({ timeout: 0 }).catch(() => undefined)
  }
  const open = async () => {
    await close()
    const { url } = await servers.find()
    const opened = createPostgresClient({ ...location, url, connections: 1 }, () => {
      if (client !== opened) return
      heardAtMs = Number.NEGATIVE_INFINITY
      nextOpenMs = Number.NEGATIVE_INFINITY
    })
    client = opened
    await opened.listen(CHANNEL, hear, onChange)
    nextOpenMs = elapsedMs() + pauseMs
    pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)
  }
  const isHearing = () => elapsedMs() - heardAtMs < NOTIFICATION_GAP_MS_MAX
  // A failure leaves the listener without a connection, and the next check is the next attempt.
  const openIfDeaf = async () => {
    if (!isHearing() && elapsedMs() >= nextOpenMs) await open().catch(() => undefined)
  }
  const opened = openIfDeaf()
  const stopChecking = everyMs(CHECK_MS, () => opened.then(openIfDeaf))
  return {
    isHearing,
    async stop() {
      await stopChecking()
      await opened
      await close()
    },
  }
}
