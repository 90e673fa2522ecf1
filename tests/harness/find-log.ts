import { LogDetail, type LogEntry, listLogs } from '#contract/logs/logs.ts'
import type { AdminClient } from './api-client.ts'
import { waitUntil } from './wait-until.ts'

const ROW_TIMEOUT_MS = 5_000

interface FoundLog extends LogEntry {
  readonly detail: LogDetail
}

/** Log rows of a request, as an administrator sees them. */
export async function findLogs(admin: AdminClient, requestId: string): Promise<readonly FoundLog[]> {
  const { items } = await admin.call(listLogs, { query: { request_id: requestId } })
  return items.map(row => ({ ...row, detail: LogDetail.parse(JSON.parse(row.other || '{}')) }))
}

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
