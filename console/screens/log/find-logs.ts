import { listLogs, listSelfLogs } from '#contract/logs/logs.ts'
import { call } from '../../app/api/call.ts'
import type { FoundRecord } from '../../app/router/define-screen.ts'
import { currentUser, hasRole } from '../../app/session/session.ts'
import { formatDateTime } from '../../app/time/time.tsx'

const REQUEST_ID = /^[\w-]{16,}$/

/** The row of a request whose id was pasted. */
export async function findLogs(typed: string, signal: AbortSignal): Promise<readonly FoundRecord[]> {
  if (!REQUEST_ID.test(typed)) return []
  const query = { request_id: typed, p: 1 }
  const { items } = hasRole(currentUser(), 'admin')
    ? await call(listLogs, { query, signal })
    : await call(listSelfLogs, { query, signal })
  return items.map(({ id, created_at, model_name }) => ({
    name: `${formatDateTime(created_at)} ${model_name}`,
    href: `/log?row=${id}`,
  }))
}
