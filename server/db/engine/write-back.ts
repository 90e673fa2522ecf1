import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { everyMs } from '../../core/clock.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import type { Database } from './database.ts'

/** What SQLite says of its journal, in pages. */
export interface JournalState {
  readonly log: number
  readonly checkpointed: number
}

/** What the thread is asked for. `copy much`: only if it is worth waiting for the disk. */
export type WriteBackCommand = 'copy much' | 'copy all' | 'end'

interface WriteBackOptions {
  readonly db: Database
  readonly path: string
  readonly log: Logger
  /** The journal begins anew beyond so many pages. */
  readonly journalPagesMax?: number
}

/** Often: commits wait a little for each pass, and longer the more it brings to the disk. */
const WRITE_BACK_INTERVAL_MS = 100
/** 64 MiB. */
const JOURNAL_PAGES_MAX = 16_384
/** A disk that takes longer is not waited for; it may still do it. */
const REPLY_MS_MAX = 10_000

/**
 * Copies the journal of a database file back into it, on a thread of its own: on the thread of the requests all of them
 * would wait for the disk, 20 ms each time. Writers go on meanwhile and so leave a rest; once the journal is long they wait
 * for that rest, and the next of them begins the journal anew. Should the thread fail, SQLite itself does it, rarely and in
 * one go. The function it gives ends the thread.
 */
export function startWriteBack(parts: WriteBackOptions): () => Promise<void> {
  const { db, path, log, journalPagesMax = JOURNAL_PAGES_MAX } = parts
  const tell = throttledLog(log, 'the journal of the database is not written back')
  const thread = new Worker(new URL('./write-back-thread.ts', import.meta.url), { workerData: path })
  thread.on('error', error => tell({ error }))
  thread.unref()
  const stop = everyMs(WRITE_BACK_INTERVAL_MS, async () => {
    try {
      const journal = await sendCommand(thread, 'copy much')
      if (journal.log > journalPagesMax) await db.connection().execute(() => sendCommand(thread, 'copy all'))
    } catch (error) {
      tell({ error })
    }
  })
  return async () => {
    await stop()
    await sendCommand(thread, 'end').catch(error => tell({ error }))
    await thread.terminate()
  }
}

/** Throws when the thread fails, or gives no answer in time. */
async function sendCommand(thread: Worker, wish: WriteBackCommand): Promise<JournalState> {
  const answered = once(thread, 'message', { signal: AbortSignal.timeout(REPLY_MS_MAX) })
  thread.postMessage(wish)
  const [{ journal, failure }] = await answered
  if (failure !== undefined) throw new Error(failure)
  return journal
}
