import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { ALL_LOGS } from '#server/db/logs/log-filter.ts'
import { countAllRequests } from '#server/db/usage/count-requests.ts'
import { logError } from './errors.ts'
import type { LogDeletion } from './log-deletion.ts'
import { deleteSomeLogs } from './queries/delete-logs.ts'
import { findOldestLogTime, returnFreePages } from './queries/log-reads.ts'
import { countByHour } from './queries/usage-reads.ts'

/** Requests wait for about 2 ms while the rows are in memory, and longer otherwise. */
const BATCH_ROWS = 100
/** More than the pages of a batch, so that those of earlier deletions go back to the disk too. */
const BATCH_PAGES_MAX = 300

interface LogDeletionQuery {
  readonly target_timestamp: number
  readonly background: boolean
}

interface LogDeletionDeps extends Pick<ApiContext, 'db' | 'reader' | 'engine' | 'log' | 'requestId'> {
  readonly caller: Pick<ApiContext['caller'], 'id'>
}

/** Deletes rows older than the given time and returns their number, or 0 at once when it runs in the background. */
export async function deleteLogs(
  { target_timestamp: beforeSeconds, background }: LogDeletionQuery,
  logDeletion: LogDeletion,
  context: LogDeletionDeps,
): Promise<number> {
  const { log, caller, requestId } = context
  if (beforeSeconds <= 0) throw logError('time_needed')
  const deleting = logDeletion.start({
    beforeSeconds,
    total: await countBefore(beforeSeconds, context),
    deleteBatch: createDeletion(beforeSeconds, context),
  })
  if (!deleting) throw logError('deletion_running')
  const logged = deleting.then(count => {
    log.info('log rows were deleted', { request_id: requestId, user_id: caller.id, count })
    return count
  })
  if (!background) return logged
  logged.catch((error: unknown) =>
    log.error('deleting log rows failed', { request_id: requestId, reason: errorMessage(error) }),
  )
  return 0
}

/** Analytics count the rows first: they know requests from the log alone. */
function createDeletion(beforeSeconds: number, context: LogDeletionDeps): () => Promise<number> {
  let counted: Promise<void> | undefined
  return async () => {
    counted ??= countAllRequests(context, nowSeconds())
    await counted
    const count = await deleteSomeLogs(context, beforeSeconds, BATCH_ROWS)
    if (context.engine === 'sqlite') await returnFreePages(context.db, BATCH_PAGES_MAX)
    return count
  }
}

/** Estimates from hourly counts: counting the rows would take as long as deleting them. */
async function countBefore(
  beforeSeconds: number,
  { reader }: Pick<LogDeletionDeps, 'reader'>,
): Promise<number> {
  const oldest = await findOldestLogTime(reader)
  if (oldest === undefined) return 0
  const hours = await countByHour(reader, ALL_LOGS, { from: oldest, until: beforeSeconds })
  return hours.reduce((sum, { count }) => sum + count, 0)
}
