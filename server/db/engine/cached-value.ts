import { sql } from 'kysely'
import { everyMs } from '../../core/clock.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import type { Database } from './database.ts'

const REFRESH_INTERVAL_MS = 1000

/** A value kept in memory that follows its topic in the database. */
export interface CachedValue<Value> {
  current(): Value
  /** Reads the value again when its topic has changed. After it resolves, `current` shows every change committed before the call. */
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
  const readIfChanged = async (): Promise<void> => {
    const found = await readVersion(db, subject)
    if (found === version) return
    value = await load()
    version = found
  }
  return {
    current: () => value,
    refresh() {
      running = running.then(readIfChanged, readIfChanged)
      return running
    },
  }
}

/** Follows changes made by other processes. The returned function stops it. A database that does not answer leaves the values as they are. */
export function startCacheRefresh(lives: readonly CachedValue<unknown>[], log: Logger): () => Promise<void> {
  const noteFailure = throttledLog(log, 'settings and channels could not be read again')
  return everyMs(REFRESH_INTERVAL_MS, async () => {
    try {
      await Promise.all(lives.map(live => live.refresh()))
    } catch (error) {
      noteFailure({ error })
    }
  })
}

/** What processes keep in memory and read again when it changes. */
export type CacheSubject = 'options' | 'channels'

/** Says that the subject has changed. Call it in the transaction of the change. */
export async function bumpVersion(tx: Database, topic: CacheSubject): Promise<void> {
  await tx
    .insertInto('topics')
    .values({ topic, version: 1 })
    .onConflict(conflict => conflict.column('topic').doUpdateSet({ version: sql`topics.version + 1` }))
    .execute()
}

/** 0 for a subject that never changed. */
export async function readVersion(db: Database, topic: CacheSubject): Promise<number> {
  const row = await db.selectFrom('topics').select('version').where('topic', '=', topic).executeTakeFirst()
  return row?.version ?? 0
}
