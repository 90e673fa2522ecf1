import { LOG_TYPE } from '#contract/enums.ts'
import { LogDetail } from '#features/logs/contract/log-detail.ts'
import { type LogEntry, listLogs } from '#features/logs/contract/logs.ts'
import type { AdminClient } from './api-client.ts'
import { waitUntil } from './wait-until.ts'

const ROW_TIMEOUT_MS = 20_000

export interface FoundLog extends LogEntry {
  readonly detail: LogDetail
}

/** Log rows of a request, as an administrator sees them. */
export async function findLogs(admin: AdminClient, requestId: string): Promise<readonly FoundLog[]> {
  const { items } = await admin.call(listLogs, { query: { request_id: requestId } })
  return items.map(withDetail)
}

/** The newest row of a charged request. Undefined when there is none. */
export async function newestCharge(admin: AdminClient): Promise<FoundLog | undefined> {
  const { items } = await admin.call(listLogs, { query: { type: LOG_TYPE.consumption, page_size: 1 } })
  return items.map(withDetail)[0]
}

const withDetail = (row: LogEntry): FoundLog => ({
  ...row,
  detail: LogDetail.parse(JSON.parse(row.other || '{}')),
})

/** Waits for the log row of a request. Throws when there are several. */
export async function waitForLog(admin: AdminClient, requestId: string): Promise<FoundLog> {
  const rows = await waitUntil(
    { description: `the row of ${requestId}`, timeoutMs: ROW_TIMEOUT_MS },
    async () => {
      const found = await findLogs(admin, requestId)
      return found.length > 0 && found
    },
  )
  const [row] = rows
  if (!row || rows.length > 1) throw new Error(`expected one row of ${requestId}, found ${rows.length}`)
  return row
}
