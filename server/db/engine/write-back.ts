import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { everyMs } from '../../core/clock.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import type { Database } from './database.ts'

/** The columns of SQLite's `wal_checkpoint`, in pages (sqlite.org/pragma.html#pragma_wal_checkpoint). */
export interface JournalState {
  readonly log: number
  readonly checkpointed: number
}

/** `copy-if-worthwhile`: only when the journal is long enough to be worth the wait for the disk. */
export type WriteBackCommand = 'copy-if-worthwhile' | 'copy-all' | 'close'

interface WriteBackOptions {
  readonly db: Database
  readonly path: string
  readonly log: Logger
  /** A journal longer than this starts over. */
  readonly journalPagesMax?: number
}

/** Short, because commits wait a little for each pass, and longer the more pages it copies. */
const WRITE_BACK_INTERVAL_MS = 100
/** 64 MiB. */
const JOURNAL_PAGES_MAX = 16_384
/** A slower disk is reported as a failure, although the thread may still finish. */
const REPLY_MS_MAX = 10_000

/**
 * Copies the journal of a database file back into it on a thread of its own: on the main thread every request would wait
 * about 20 ms for the disk each time.
 *
 * Writers continue during a pass and leave a rest. Once the journal is too long, writers wait until the rest is copied,
 * and the next one starts the journal over. Without the thread SQLite copies by itself, rarely and all at once. Returns
 * a function that ends the thread.
 */
export function startWriteBack(options: WriteBackOptions): () => Promise<void> {
  const { db, path, log, journalPagesMax = JOURNAL_PAGES_MAX } = options
  const logFailure = throttledLog(log, 'the journal of the database is not written back')
  const thread = new Worker(new URL('./write-back-thread.ts', import.meta.url), { workerData: path })
  thread.on('error', error => logFailure({ error }))
  thread.unref()
  const stop = everyMs(WRITE_BACK_INTERVAL_MS, async () => {
    try {
      const journal = await sendCommand(thread, 'copy-if-worthwhile')
      if (journal.log > journalPagesMax) await db.connection().execute(() => sendCommand(thread, 'copy-all'))
    } catch (error) {
      logFailure({ error })
    }
  })
  return async () => {
    await stop()
    await sendCommand(thread, 'close').catch(error => logFailure({ error }))
    await thread.terminate()
  }
}

/** Throws when the thread fails or does not reply in time. */
async function sendCommand(thread: Worker, command: WriteBackCommand): Promise<JournalState> {
  const reply = once(thread, 'message', { signal: AbortSignal.timeout(REPLY_MS_MAX) })
  thread.postMessage(command)
  const [{ journal, failure }] = await reply
  if (failure !== undefined) throw new Error(failure)
  return journal
}
