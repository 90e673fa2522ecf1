import { everyMs } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { openRareLine } from '../core/rare-line.ts'
import type { Database } from './database.ts'
import { readTopicVersion, type Topic } from './topics.ts'

const REFRESH_INTERVAL_MS = 1000

/** A value kept in memory that follows its topic in the database. */
export interface Live<Value> {
  current(): Value
  /** Reads the value again when its topic has changed. After it resolves, `current` shows every change committed before the call. */
  refresh(): Promise<void>
}

interface LiveOptions<Value> {
  readonly db: Database
  readonly topic: Topic
  readonly load: () => Promise<Value>
}

export async function openLive<Value>({ db, topic, load }: LiveOptions<Value>): Promise<Live<Value>> {
  let version = await readTopicVersion(db, topic)
  let value = await load()
  let running: Promise<void> = Promise.resolve()
  const readIfChanged = async (): Promise<void> => {
    const found = await readTopicVersion(db, topic)
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
export function keepFresh(lives: readonly Live<unknown>[], log: Log): () => Promise<void> {
  const noteFailure = openRareLine(log, 'settings and channels could not be read again')
  return everyMs(REFRESH_INTERVAL_MS, async () => {
    try {
      await Promise.all(lives.map(live => live.refresh()))
    } catch (error) {
      noteFailure({ error })
    }
  })
}
