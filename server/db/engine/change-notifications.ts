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
/** Five heartbeats at least. */
const NOTIFICATION_GAP_MS_MAX = 15_000
/** The client replaces a connection that was closed. One whose server or network is gone only says nothing. */
const REPLACE_CHECK_MS = 30_000

/**
 * Calls `onChange` after each commit that changed a version, and when the listening connection was opened anew and may have
 * missed one. Behind a pooler that shares sessions between clients nothing is ever heard.
 */
export function listenForChanges(location: DatabaseLocation, onChange: () => void): ChangeListener {
  let heardAtMs = Number.NEGATIVE_INFINITY
  const hear = (payload: string) => {
    heardAtMs = elapsedMs()
    if (payload !== HEARTBEAT) onChange()
  }
  const servers = new PostgresServers(location.url)
  let client: SQL | undefined
  const open = async () => {
    client = createPostgresClient({ ...location, url: await servers.find(), connections: 1 })
    await client.listen(CHANNEL, hear, onChange)
  }
  // A failure leaves the listener without a connection, and the next replacement is the next attempt.
  const openOrWait = () => open().catch(() => undefined)
  const isHearing = () => elapsedMs() - heardAtMs < NOTIFICATION_GAP_MS_MAX
  const opened = openOrWait()
  const close = () => client?.close({ timeout: 0 }).catch(() => undefined)
  const stopReplacing = everyMs(REPLACE_CHECK_MS, async () => {
    if (isHearing()) return
    await close()
    await openOrWait()
  })
  return {
    isHearing,
    async stop() {
      await stopReplacing()
      await opened
      await close()
    },
  }
}
