import type { Database } from '../../db/database.ts'
import { ALL_LOGS } from '../../db/log-filter.ts'
import { type LogRow, listLogs, listLogsByPrefix } from '../../db/log-reads.ts'

const ROWS_MAX = 100
const ROWS_LOOKED_AT_MAX = 20_000
const ALL_TIME = { from: 0, until: Number.MAX_SAFE_INTEGER }
const LOG_TYPE = /^\d$/

/** The newest rows of a type, or whose text begins with the keyword; of one user, or of all. */
export function searchLogs(db: Database, keyword: string, userId?: number): Promise<LogRow[]> {
  if (LOG_TYPE.test(keyword)) {
    const filter = {
      ...ALL_LOGS,
      types: [Number(keyword)],
      ...(userId !== undefined && { userIds: [userId] }),
    }
    return listLogs(db, filter, { range: ALL_TIME, offset: 0, limit: ROWS_MAX })
  }
  const wanted = { beginning: keyword, userId }
  return listLogsByPrefix(db, wanted, { lookedAt: ROWS_LOOKED_AT_MAX, limit: ROWS_MAX })
}
