import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { everyMs } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { openRareLine } from '../core/rare-line.ts'
import type { Database } from './database.ts'

/** What SQLite says of its journal, in pages. */
export interface Journal {
  readonly log: number
  readonly checkpointed: number
}

/** What the thread is asked for. `copy much`: only if it is worth waiting for the disk. */
export type Wish = 'copy much' | 'copy all' | 'end'

interface WriteBackParts {
  readonly db: Database
  readonly path: string
  readonly log: Log
  /** The journal begins anew beyond so many pages. */
  readonly journalPagesMax?: number
}

/** Often: commits wait a little for each pass, and longer the more it brings to the disk. */
const LOOK_MS = 100
/** 64 MiB. */
const JOURNAL_PAGES_MAX = 16_384
/** A disk that takes longer is not waited for; it may still do it. */
const ANSWER_MS_MAX = 10_000

/**
 * Copies the journal of a database file back into it, on a thread of its own: on the thread of the requests all of them
 * would wait for the disk, 20 ms each time. Writers go on meanwhile and so leave a rest; once the journal is long they wait
 * for that rest, and the next of them begins the journal anew. Should the thread fail, SQLite itself does it, rarely and in
 * one go. The function it gives ends the thread.
 */
export function startWriteBack(parts: WriteBackParts): () => Promise<void> {
  const { db, path, log, journalPagesMax = JOURNAL_PAGES_MAX } = parts
  const tell = openRareLine(log, 'the journal of the database is not written back')
  const thread = new Worker(new URL('./write-back-thread.ts', import.meta.url), { workerData: path })
  thread.on('error', error => tell({ error }))
  thread.unref()
  const stop = everyMs(LOOK_MS, async () => {
    try {
      const journal = await ask(thread, 'copy much')
      if (journal.log > journalPagesMax) await db.connection().execute(() => ask(thread, 'copy all'))
    } catch (error) {
      tell({ error })
    }
  })
  return async () => {
    await stop()
    await ask(thread, 'end').catch(error => tell({ error }))
    await thread.terminate()
  }
}

/** Throws when the thread fails, or gives no answer in time. */
async function ask(thread: Worker, wish: Wish): Promise<Journal> {
  const answered = once(thread, 'message', { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
  thread.postMessage(wish)
  const [{ journal, failure }] = await answered
  if (failure !== undefined) throw new Error(failure)
  return journal
}
