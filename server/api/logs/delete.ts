import { errorMessage } from '../../core/errors.ts'
import { ALL_LOGS } from '../../db/logs/log-filter.ts'
import { deleteSomeLogs } from '../../db/logs/log-months.ts'
import { findOldestLogTime } from '../../db/logs/log-reads.ts'
import { countByHour } from '../../db/usage/usage-reads.ts'
import type { ApiContext } from '../context.ts'
import { logError } from './errors.ts'

const ROWS_AT_ONCE = 2000

interface LogDeletionQuery {
  readonly target_timestamp: number
  readonly background: boolean
}

type LogDeletionDeps = Pick<ApiContext, 'db' | 'engine' | 'log' | 'logDeletion' | 'caller' | 'requestId'>

/** Deletes the rows older than the given time; gives how many, or 0 at once when nobody waits for it. */
export async function deleteLogs(
  { target_timestamp: beforeSeconds, background }: LogDeletionQuery,
  context: LogDeletionDeps,
): Promise<number> {
  const { logDeletion, log, caller, requestId } = context
  if (beforeSeconds <= 0) throw logError('time_needed')
  const deleting = logDeletion.start({
    beforeSeconds,
    total: await countBefore(beforeSeconds, context),
    deleteBatch: () => deleteSomeLogs(context, beforeSeconds, ROWS_AT_ONCE),
  })
  if (!deleting) throw logError('deletion_running')
  const told = deleting.then(count => {
    log.info('log rows were deleted', { request_id: requestId, user_id: caller.id, count })
    return count
  })
  if (!background) return told
  told.catch((error: unknown) =>
    log.error('deleting log rows failed', { request_id: requestId, reason: errorMessage(error) }),
  )
  return 0
}

/** By the hours' counts: counting the rows themselves would take as long as deleting them. */
async function countBefore(beforeSeconds: number, { db }: Pick<LogDeletionDeps, 'db'>): Promise<number> {
  const oldest = await findOldestLogTime(db)
  if (oldest === undefined) return 0
  const hours = await countByHour(db, ALL_LOGS, { from: oldest, until: beforeSeconds })
  return hours.reduce((sum, { count }) => sum + count, 0)
}
