import { everyMs, nowMs } from '../../core/clock.ts'
import type { Logger } from '../../core/logger.ts'
import { type OpenDatabase, unlessUnchanged } from '../../db/engine/database.ts'
import { findNextDueMs } from '../../db/system/tasks.ts'

const TASK_INTERVAL_MS = 1000

interface TaskPollingDeps {
  readonly database: Pick<OpenDatabase, 'db' | 'engine' | 'changeMark'>
  readonly log: Logger
}

/** Polls the tasks that are due once. Returns their number. */
type FollowTasks = (signal: AbortSignal) => Promise<number>

/**
 * Polls asynchronous tasks until they finish. On SQLite it looks for tasks only when one is due or the database has changed.
 * The returned function stops the job: it aborts a poll in progress and waits for it. Call it before the ledger is closed.
 */
export function startTaskPolling(
  { database, log }: TaskPollingDeps,
  follow: FollowTasks,
): () => Promise<void> {
  const stopping = new AbortController()
  let nextDueMs = 0
  const followDue = async () => {
    while (!stopping.signal.aborted && (await follow(stopping.signal)) > 0);
    if (database.engine === 'sqlite') nextDueMs = await findNextDueMs(database.db)
  }
  const followAfterChange = unlessUnchanged(database, followDue)
  const stop = everyMs(TASK_INTERVAL_MS, async () => {
    try {
      await (nowMs() < nextDueMs ? followAfterChange() : followDue())
    } catch (error) {
      log.error('tasks could not be polled', { error })
    }
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
