import { deleteLogs as deleteLogsCall, getLogDeletion } from '#contract/logs/log-deletion.ts'
import * as searchCalls from '#contract/logs/log-searches.ts'
import * as calls from '#contract/logs/logs.ts'
import { type Secrets, TOKEN_KEY_PURPOSE } from '../../core/crypto.ts'
import { findCallersByKeyHash } from '../../db/callers.ts'
import { findLog, type LogRow } from '../../db/log-reads.ts'
import { USER_STATUS } from '../caller.ts'
import { handle, handleReply } from '../handle.ts'
import { deleteLogs } from './delete-logs.ts'
import { exportLogs } from './export-logs.ts'
import { facetsOf } from './facets.ts'
import { type Wanted, wantedOfAll, wantedOfOwn, wantedOfToken } from './filter-of.ts'
import { histogramOf } from './histogram.ts'
import { toLogEntry, type Viewer } from './log-view.ts'
import { pageOfLogs } from './page-of-logs.ts'
import { refuse } from './refuse.ts'
import { searchLogs } from './search.ts'
import { statOf } from './stat.ts'

const ofAll = [
  handle(calls.listLogs, async ({ db, query }) => listed(db, await wantedOfAll(db, query), query, 'admin')),
  handle(calls.getLog, async ({ db, params }) => toLogEntry(known(await findLog(db, params.id)), 'admin')),
  handle(searchCalls.searchLogs, async ({ db, query }) =>
    (await searchLogs(db, query.keyword)).map(row => toLogEntry(row, 'admin')),
  ),
  handle(calls.getLogStat, async ({ db, query }) => statOf(db, await wantedOfAll(db, query))),
  handle(calls.getLogHistogram, async ({ db, query }) =>
    histogramOf(db, await wantedOfAll(db, query), query),
  ),
  handle(calls.getLogFacets, async ({ db, query }) => facetsOf(db, await wantedOfAll(db, query), 'admin')),
  handleReply(calls.exportLogs, async ({ db, query }) =>
    exportLogs(db, await wantedOfAll(db, query), 'admin'),
  ),
  handle(deleteLogsCall, ({ query, ...context }) => deleteLogs(query, context)),
  handle(getLogDeletion, async ({ logDeletion }) => logDeletion.progress()),
]

const ofOwn = [
  handle(calls.listSelfLogs, async ({ db, query, caller }) =>
    listed(db, await wantedOfOwn(db, query, caller.id), query, 'self'),
  ),
  handle(calls.getSelfLog, async ({ db, params, caller }) =>
    toLogEntry(known(await findLog(db, params.id, caller.id)), 'self'),
  ),
  handle(searchCalls.searchSelfLogs, async ({ db, query, caller }) =>
    (await searchLogs(db, query.keyword, caller.id)).map(row => toLogEntry(row, 'self')),
  ),
  handle(calls.getSelfLogStat, async ({ db, query, caller }) =>
    statOf(db, await wantedOfOwn(db, query, caller.id)),
  ),
  handle(calls.getSelfLogHistogram, async ({ db, query, caller }) =>
    histogramOf(db, await wantedOfOwn(db, query, caller.id), query),
  ),
  handle(calls.getSelfLogFacets, async ({ db, query, caller }) =>
    facetsOf(db, await wantedOfOwn(db, query, caller.id), 'self'),
  ),
  handleReply(calls.exportSelfLogs, async ({ db, query, caller }) =>
    exportLogs(db, await wantedOfOwn(db, query, caller.id), 'self'),
  ),
]

const ofToken = [
  handleReply(calls.listTokenLogs, async ({ db, query, secrets }) => {
    const tokenId = await tokenIdOf(db, query.key, secrets)
    const { items } = await listed(db, await wantedOfToken(db, tokenId), query, 'self')
    const open = { 'access-control-allow-origin': '*' }
    return Response.json({ success: true, message: '', data: items }, { headers: open })
  }),
]

export const routes = [...ofAll, ...ofOwn, ...ofToken]

type Database = Parameters<typeof findLog>[0]

async function listed(db: Database, wanted: Wanted, page: { p: number; page_size: number }, viewer: Viewer) {
  const { p, page_size } = page
  const { rows, total } = await pageOfLogs(db, wanted, { offset: (p - 1) * page_size, limit: page_size })
  return { items: rows.map(row => toLogEntry(row, viewer)), total, page: p, page_size }
}

/** A key speaks for its token as long as its owner may sign in. */
async function tokenIdOf(db: Database, key: string, secrets: Secrets): Promise<number> {
  const hash = secrets.hash(TOKEN_KEY_PURPOSE, key.replace(/^sk-/, ''))
  const row = (await findCallersByKeyHash(db, [hash])).get(hash)
  if (!row || row.user_deleted_at !== null || row.user_status !== USER_STATUS.enabled)
    throw refuse('unknown_key')
  return row.token_id
}

function known(row: LogRow | undefined): LogRow {
  if (!row) throw refuse('unknown')
  return row
}
