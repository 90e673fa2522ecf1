import { USER_STATUS } from '#contract/enums.ts'
import { deleteLogs as deleteLogsCall, getLogDeletion } from '#contract/logs/log-deletion.ts'
import * as searchCalls from '#contract/logs/logs.ts'
import * as endpoints from '#contract/logs/logs.ts'
import { type Secrets, TOKEN_KEY_PURPOSE } from '../../core/crypto.ts'
import { findCallersByKeyHash } from '../../db/accounts/tokens.ts'
import type { Database } from '../../db/engine/database.ts'
import { findLog, type LogRow } from '../../db/logs/log-reads.ts'
import { handle, handleResult } from '../handle.ts'
import { deleteLogs } from './delete.ts'
import { logError } from './errors.ts'
import { exportLogs } from './export.ts'
import { type LogSelection, selectAllLogs, selectOwnLogs, selectTokenLogs } from './filter.ts'
import { listLogPage, searchLogs } from './list.ts'
import { getHistogram, getStat, listFacets } from './statistics.ts'
import { toLogEntry, type Viewer } from './view.ts'

const adminRoutes = [
  handle(endpoints.listLogs, async ({ db, query }) =>
    listEntries(db, await selectAllLogs(db, query), query, 'admin'),
  ),
  handle(endpoints.getLog, async ({ db, params }) =>
    toLogEntry(requireRow(await findLog(db, params.id)), 'admin'),
  ),
  handle(searchCalls.searchLogs, async ({ db, query }) =>
    (await searchLogs(db, query.keyword)).map(row => toLogEntry(row, 'admin')),
  ),
  handle(endpoints.getLogStat, async ({ db, query }) => getStat(db, await selectAllLogs(db, query))),
  handle(endpoints.getLogHistogram, async ({ db, query }) =>
    getHistogram(db, await selectAllLogs(db, query), query),
  ),
  handle(endpoints.getLogFacets, async ({ db, query }) =>
    listFacets(db, await selectAllLogs(db, query), 'admin'),
  ),
  handleResult(endpoints.exportLogs, async ({ db, query }) =>
    exportLogs(db, await selectAllLogs(db, query), 'admin'),
  ),
  handle(deleteLogsCall, ({ query, ...context }) => deleteLogs(query, context)),
  handle(getLogDeletion, async ({ logDeletion }) => logDeletion.progress()),
]

const selfRoutes = [
  handle(endpoints.listSelfLogs, async ({ db, query, caller }) =>
    listEntries(db, await selectOwnLogs(db, query, caller.id), query, 'self'),
  ),
  handle(endpoints.getSelfLog, async ({ db, params, caller }) =>
    toLogEntry(requireRow(await findLog(db, params.id, caller.id)), 'self'),
  ),
  handle(searchCalls.searchSelfLogs, async ({ db, query, caller }) =>
    (await searchLogs(db, query.keyword, caller.id)).map(row => toLogEntry(row, 'self')),
  ),
  handle(endpoints.getSelfLogStat, async ({ db, query, caller }) =>
    getStat(db, await selectOwnLogs(db, query, caller.id)),
  ),
  handle(endpoints.getSelfLogHistogram, async ({ db, query, caller }) =>
    getHistogram(db, await selectOwnLogs(db, query, caller.id), query),
  ),
  handle(endpoints.getSelfLogFacets, async ({ db, query, caller }) =>
    listFacets(db, await selectOwnLogs(db, query, caller.id), 'self'),
  ),
  handleResult(endpoints.exportSelfLogs, async ({ db, query, caller }) =>
    exportLogs(db, await selectOwnLogs(db, query, caller.id), 'self'),
  ),
]

const tokenRoutes = [
  handleResult(endpoints.listTokenLogs, async ({ db, query, secrets }) => {
    const tokenId = await findTokenId(db, query.key, secrets)
    const { items } = await listEntries(db, await selectTokenLogs(db, tokenId), query, 'self')
    // The key authorizes the call, so pages of any origin may show its usage.
    const headers = { 'access-control-allow-origin': '*' }
    return Response.json({ success: true, message: '', data: items }, { headers })
  }),
]

export const routes = [...adminRoutes, ...selfRoutes, ...tokenRoutes]

async function listEntries(
  db: Database,
  selection: LogSelection,
  page: { p: number; page_size: number },
  viewer: Viewer,
) {
  const { p, page_size } = page
  const { rows, total } = await listLogPage(db, selection, { offset: (p - 1) * page_size, limit: page_size })
  return { items: rows.map(row => toLogEntry(row, viewer)), total, page: p, page_size }
}

/** Throws `log.unknown_key` for an unknown key, and for keys of users who are banned or deregistered. */
async function findTokenId(db: Database, key: string, secrets: Secrets): Promise<number> {
  const hash = secrets.hash(TOKEN_KEY_PURPOSE, key.replace(/^sk-/, ''))
  const row = (await findCallersByKeyHash(db, [hash])).get(hash)
  if (!row || row.user_deleted_at !== null || row.user_status !== USER_STATUS.enabled)
    throw logError('unknown_key')
  return row.token_id
}

function requireRow(row: LogRow | undefined): LogRow {
  if (!row) throw logError('unknown')
  return row
}
