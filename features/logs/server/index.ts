import { USER_STATUS } from '#contract/enums.ts'
import { findTokenByKey } from '#server/accounts/tokens/token-key.ts'
import type { ApiCaller, ApiContext } from '#server/api/context.ts'
import { handle, handleResult, type Route } from '#server/api/handle.ts'
import { everyMs } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import type { Database } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import { deleteLogs as deleteLogsCall, getLogDeletion } from '../contract/log-deletion.ts'
import { listLogErrors, listSelfLogErrors } from '../contract/log-errors.ts'
import * as exporting from '../contract/log-export.ts'
import * as searchCalls from '../contract/logs.ts'
import * as endpoints from '../contract/logs.ts'
import * as receipts from '../contract/receipt-links.ts'
import { rejectedRequests } from '../migrations/0038-rejected-requests.ts'
import { deleteLogs } from './delete.ts'
import { logError } from './errors.ts'
import { exportLogs } from './export.ts'
import { type LogSelection, selectAllLogs, selectOwnLogs, selectTokenLogs } from './filter.ts'
import { listLogPage, searchLogs } from './list.ts'
import { createLogDeletion, type LogDeletion } from './log-deletion.ts'
import { findLog, type LogRow } from './queries/log-reads.ts'
import { findVisibleTokenIds } from './queries/visible-tokens.ts'
import { readReceiptLink, signReceiptLink } from './receipt-links.ts'
import { RejectionLog } from './rejections.ts'
import { getHistogram, getStat, listErrors, listFacets } from './statistics.ts'
import { type LogAudience, toLogView } from './view.ts'

/** A chart's days without a zone of the caller. */
const inOwnZone = <Query extends object>(query: Query, { settings }: Pick<ApiContext, 'settings'>) => ({
  ...query,
  ownZone: settings.current().values.ReportingTimeZone,
})

const adminRoutes = [
  handle(endpoints.listLogs, async ({ reader, query, language }) =>
    listEntries(reader, await selectAllLogs(reader, query), query, { viewer: 'admin', language }),
  ),
  handle(endpoints.getLog, async ({ reader, params, language }) =>
    toLogView(requireRow(await findLog(reader, params.id)), { viewer: 'admin', language }),
  ),
  handle(searchCalls.searchLogs, async ({ reader, query, language }) =>
    (await searchLogs(reader, query.keyword)).map(row => toLogView(row, { viewer: 'admin', language })),
  ),
  handle(endpoints.getLogStat, async ({ reader, query }) =>
    getStat(reader, await selectAllLogs(reader, query)),
  ),
  handle(endpoints.getLogHistogram, async ({ reader, query, ...context }) =>
    getHistogram(reader, await selectAllLogs(reader, query), inOwnZone(query, context)),
  ),
  handle(endpoints.getLogFacets, async ({ reader, query }) =>
    listFacets(reader, await selectAllLogs(reader, query), 'admin'),
  ),
  handle(listLogErrors, async ({ reader, query }) =>
    listErrors(reader, await selectAllLogs(reader, query), 'admin'),
  ),
  handleResult(exporting.exportLogs, async ({ query, ...context }) =>
    exportLogs(context, { selection: await selectAllLogs(context.reader, query), viewer: 'admin', query }),
  ),
]

const receiptRoutes: readonly Route[] = [
  handle(receipts.createReceiptLink, async ({ reader, params, secrets }) =>
    signReceiptLink(requireRow(await findLog(reader, params.id)), secrets),
  ),
  handle(receipts.createSelfReceiptLink, async ({ reader, params, caller, secrets }) =>
    signReceiptLink(await findOwnLog(reader, params.id, caller), secrets),
  ),
  handle(receipts.getReceipt, async ({ reader, query, secrets, language }) =>
    toLogView(requireRow(await findLog(reader, readReceiptLink(query.link, secrets))), {
      viewer: 'self',
      language,
    }),
  ),
]

const deletionRoutes = (deletion: LogDeletion): readonly Route[] => [
  handle(deleteLogsCall, ({ query, ...context }) => deleteLogs(query, deletion, context)),
  handle(getLogDeletion, async () => deletion.progress()),
]

const selfRoutes = [
  handle(endpoints.listSelfLogs, async ({ reader, query, caller, language }) =>
    listEntries(reader, await selectOwnLogs(reader, query, caller), query, { viewer: 'self', language }),
  ),
  handle(endpoints.getSelfLog, async ({ reader, params, caller, language }) =>
    toLogView(await findOwnLog(reader, params.id, caller), { viewer: 'self', language }),
  ),
  handle(searchCalls.searchSelfLogs, async ({ reader, query, caller, language }) =>
    (await searchLogs(reader, query.keyword, caller.id)).map(row =>
      toLogView(row, { viewer: 'self', language }),
    ),
  ),
  handle(endpoints.getSelfLogStat, async ({ reader, query, caller }) =>
    getStat(reader, await selectOwnLogs(reader, query, caller)),
  ),
  handle(endpoints.getSelfLogHistogram, async ({ reader, query, caller, ...context }) =>
    getHistogram(reader, await selectOwnLogs(reader, query, caller), inOwnZone(query, context)),
  ),
  handle(endpoints.getSelfLogFacets, async ({ reader, query, caller }) =>
    listFacets(reader, await selectOwnLogs(reader, query, caller), 'self'),
  ),
  handle(listSelfLogErrors, async ({ reader, query, caller }) =>
    listErrors(reader, await selectOwnLogs(reader, query, caller), 'self'),
  ),
  handleResult(exporting.exportSelfLogs, async ({ query, ...context }) =>
    exportLogs(context, {
      selection: await selectOwnLogs(context.reader, query, context.caller),
      viewer: 'self',
      query,
    }),
  ),
]

const tokenRoutes = [
  handleResult(endpoints.listTokenLogs, async ({ db, reader, query, secrets, language }) => {
    const tokenId = await findTokenId(db, query.key, secrets)
    const { items } = await listEntries(reader, await selectTokenLogs(reader, tokenId), query, {
      viewer: 'self',
      language,
    })
    // The key authorizes the call, so pages of any origin may show its usage.
    const headers = { 'access-control-allow-origin': '*' }
    return Response.json({ success: true, message: '', data: items }, { headers })
  }),
]

async function listEntries(
  reader: Database,
  selection: LogSelection,
  page: { p: number; page_size: number },
  audience: LogAudience,
) {
  const { p, page_size } = page
  const { rows, total } = await listLogPage(reader, selection, {
    offset: (p - 1) * page_size,
    limit: page_size,
  })
  return { items: rows.map(row => toLogView(row, audience)), total, page: p, page_size }
}

/** Throws `log.unknown_key` for an unknown key, and for keys of users who are banned or deregistered. */
async function findTokenId(db: Database, key: string, secrets: Secrets): Promise<number> {
  const row = await findTokenByKey(db, key, secrets)
  if (!row || row.user_deleted_at !== null || row.user_status !== USER_STATUS.enabled)
    throw logError('unknown_key')
  return row.id
}

async function findOwnLog(reader: Database, id: number, caller: ApiCaller): Promise<LogRow> {
  const row = requireRow(await findLog(reader, id, caller.id))
  const visible = await findVisibleTokenIds(reader, caller)
  return requireRow(visible && !visible.includes(row.token_id) ? undefined : row)
}

function requireRow(row: LogRow | undefined): LogRow {
  if (!row) throw logError('unknown')
  return row
}

const WRITE_INTERVAL_MS = 200

export const feature = defineFeature({
  migrations: [rejectedRequests],
  start({ database, log }) {
    const deletion = createLogDeletion()
    const rejections = new RejectionLog(database, log)
    return {
      relay: { failed: call => rejections.add(call) },
      jobs: [() => everyMs(WRITE_INTERVAL_MS, () => rejections.write())],
      routes: [...adminRoutes, ...deletionRoutes(deletion), ...selfRoutes, ...receiptRoutes, ...tokenRoutes],
      async stop() {
        await rejections.stop()
        await deletion.stop()
      },
    }
  },
})
