import { sql } from 'kysely'
import { elapsedMs, everyMs, nowMs, sleepMs } from '../../core/clock.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import { listenForChanges } from './change-notifications.ts'
import { type Database, type OpenDatabase, unlessUnchanged } from './database.ts'

const REFRESH_INTERVAL_MS = 1000
/** Between refreshes while notifications arrive. No change waits for it unless a notification was lost. */
const NOTIFIED_REFRESH_MS = 10_000
/** Bounds the refreshes that many notifications cause. */
const NOTIFIED_PAUSE_MS = 100

/** A value kept in memory that follows the version of its subject in the database. */
export interface CachedValue<Value> {
  current(): Value
  /**
   * Loads the value again when the version has changed. After it resolves, `current` reflects every change that was
   * committed before the call.
   */
  refresh(): Promise<void>
}

interface CachedValueOptions<Value> {
  readonly db: Database
  readonly subject: CacheSubject
  readonly load: () => Promise<Value>
}

export async function createCachedValue<Value>({
  db,
  subject,
  load,
}: CachedValueOptions<Value>): Promise<CachedValue<Value>> {
  let version = await readVersion(db, subject)
  let value = await load()
  let running: Promise<void> = Promise.resolve()
  const loadIfChanged = async (): Promise<void> => {
    const newest = await readVersion(db, subject)
    if (newest === version) return
    value = await load()
    version = newest
  }
  return {
    current: () => value,
    refresh() {
      running = running.then(loadIfChanged, loadIfChanged)
      return running
    },
  }
}

interface CacheRefreshDeps {
  readonly database: Pick<OpenDatabase, 'engine' | 'location' | 'changeMark'>
  readonly log: Logger
}

/**
 * Keeps the values equal to what other processes commit: on PostgreSQL by notifications, and without them by a look every
 * second. An unreachable database leaves them as they are. Returns a function that stops the refresh.
 */
export function startCacheRefresh(
  values: readonly CachedValue<unknown>[],
  { database, log }: CacheRefreshDeps,
): () => Promise<void> {
  const logFailure = throttledLog(log, 'settings and channels could not be read again')
  const refresh = createSharedRefresh(values, NOTIFIED_PAUSE_MS)
  let refreshedAtMs = elapsedMs()
  let running: Promise<void> = Promise.resolve()
  const run = (work: () => Promise<void>): Promise<void> => {
    refreshedAtMs = elapsedMs()
    running = work().catch(error => {
      refreshedAtMs = Number.NEGATIVE_INFINITY
      logFailure({ error })
    })
    return running
  }
  const listener =
    database.engine === 'postgres' ? listenForChanges(database.location, () => run(refresh)) : undefined
  const refreshAfterChange = unlessUnchanged(database, refresh)
  const stopPolling = everyMs(REFRESH_INTERVAL_MS, async () => {
    if (!listener?.isHearing() || elapsedMs() - refreshedAtMs >= NOTIFIED_REFRESH_MS)
      await run(refreshAfterChange)
  })
  return async () => {
    await listener?.stop()
    await stopPolling()
    await running
  }
}

/**
 * Returns a function that refreshes the values for requests that miss something in them: by default at most once a second
 * for all requests together, so that misses cannot flood the database. Every call gets a refresh that begins after it.
 */
export function createSharedRefresh(
  values: readonly CachedValue<unknown>[],
  pauseMs = REFRESH_INTERVAL_MS,
): () => Promise<void> {
  let startedAtMs = Number.NEGATIVE_INFINITY
  let upcoming: Promise<void> | undefined
  const refreshWhenDue = async () => {
    await sleepMs(Math.max(0, startedAtMs + pauseMs - elapsedMs()))
    upcoming = undefined
    startedAtMs = elapsedMs()
    await Promise.all(values.map(value => value.refresh()))
  }
  return () => {
    upcoming ??= refreshWhenDue()
    return upcoming
  }
}

/** The data that processes keep in memory. Each subject has a version, which grows with every change. */
export type CacheSubject = 'options' | 'channels'

/**
 * Records a change of the subject. Call it in the transaction of the change. Versions follow the time, so that none is given out
 * again after a failover that lost the newest.
 */
export async function bumpVersion(tx: Database, subject: CacheSubject): Promise<void> {
  const now = nowMs()
  const next = sql<number>`case when topics.version < ${now} then ${now} else topics.version + 1 end`
  await tx
    .insertInto('topics')
    .values({ topic: subject, version: now })
    .onConflict(conflict => conflict.column('topic').doUpdateSet({ version: next }))
    .execute()
}

/** The version of the subject; 0 when it has never changed. */
export async function readVersion(db: Database, subject: CacheSubject): Promise<number> {
  const row = await db.selectFrom('topics').select('version').where('topic', '=', subject).executeTakeFirst()
  return row?.version ?? 0
}
