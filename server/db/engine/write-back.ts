import { once } from 'node:events'
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { repeatAfterMs } from '../../core/clock.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import type { Database } from './database.ts'

/** The columns of SQLite's `wal_checkpoint`, in pages (sqlite.org/pragma.html#pragma_wal_checkpoint). */
export interface JournalState {
  readonly log: number
  readonly checkpointed: number
}

/** `copy-if-worthwhile`: only when the journal is long enough to be worth the wait for the disk. */
export type WriteBackCommand = 'copy-if-worthwhile' | 'copy-all' | 'close'

/** Holds queries back that read the file apart from `db`. */
interface ReadPause {
  withoutReads<T>(work: () => Promise<T>): Promise<T>
}

interface WriteBackOptions {
  readonly db: Database
  readonly readers: ReadPause
  readonly path: string
  readonly log: Logger
  /** A journal longer than this starts over. */
  readonly journalPagesMax?: number
}

/** Short, because commits wait a little for each pass, and longer the more pages it copies. */
const WRITE_BACK_INTERVAL_MS = 100
/** Between looks at a journal that nobody has written to, so that an idle gateway rests. */
const IDLE_INTERVAL_MS = 1000
/** 64 MiB. */
const JOURNAL_PAGES_MAX = 16_384
/** Queries that follow each other without a pause keep the journal from starting over. At this length they have to pause. */
const READS_PAUSE_FACTOR = 4
/** A slower disk is reported as a failure, although the thread may still finish. */
const REPLY_MS_MAX = 10_000

/**
 * Copies the journal of a database file back into it on a thread of its own: on the main thread every request would wait
 * about 20 ms for the disk each time.
 *
 * Writers continue during a pass and leave a rest. Once the journal is too long, writers wait until the rest is copied,
 * and the next one starts the journal over, unless a query still reads from it. Without the thread SQLite copies by itself, rarely and all at once. Returns
 * a function that ends the thread.
 */
export function startWriteBack(options: WriteBackOptions): () => Promise<void> {
  const { db, readers, path, log, journalPagesMax = JOURNAL_PAGES_MAX } = options
  const logFailure = throttledLog(log, 'the journal of the database is not written back')
  const thread = new Worker(new URL('./write-back-thread.ts', import.meta.url), { workerData: path })
  thread.on('error', error => logFailure({ error }))
  thread.unref()
  const copyAll = () => db.connection().execute(() => sendCommand(thread, 'copy-all'))
  let copiedAtMs = Number.NaN
  const stop = repeatAfterMs(WRITE_BACK_INTERVAL_MS, async () => {
    const writtenAtMs = journalWrittenAtMs(path)
    if (writtenAtMs === copiedAtMs) return IDLE_INTERVAL_MS
    copiedAtMs = writtenAtMs
    try {
      const journal = await sendCommand(thread, 'copy-if-worthwhile')
      if (journal.log > READS_PAUSE_FACTOR * journalPagesMax) await readers.withoutReads(copyAll)
      else if (journal.log > journalPagesMax) await copyAll()
    } catch (error) {
      copiedAtMs = Number.NaN
      logFailure({ error })
    }
    return WRITE_BACK_INTERVAL_MS
  })
  return async () => {
    await stop()
    await sendCommand(thread, 'close').catch(error => logFailure({ error }))
    await thread.terminate()
  }
}

/** 0 without a journal. Asked first, because messages to the thread would be most of an idle gateway's work. */
const journalWrittenAtMs = (path: string): number =>
  statSync(`${path}-wal`, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Throws when the thread fails or does not reply in time. */
async function sendCommand(thread: Worker, command: WriteBackCommand): Promise<JournalState> {
  const reply = once(thread, 'message', { signal: AbortSignal.timeout(REPLY_MS_MAX) })
  thread.postMessage(command)
  const [{ journal, failure }] = await reply
  if (failure !== undefined) throw new Error(failure)
  return journal
}
