import type { ApiContext } from '#server/api/context.ts'
import { csvCell, csvHeaders } from '#server/api/csv.ts'
import { handle, handleResult } from '#server/api/handle.ts'
import { defineFeature } from '#server/feature.ts'
import * as endpoints from '../contract/audit-log.ts'
import { auditLog } from '../migrations/0037-audit-log.ts'
import { options } from '../options.ts'
import { countAuditRows, listAuditRows } from './queries.ts'
import { recordCall, recordProgramChange } from './record-call.ts'
import { startRetention } from './retention.ts'
import type { AuditLogTable } from './tables.ts'

const routes = [
  handle(endpoints.listAuditLog, async ({ reader, query: { p, page_size, ...filter } }) => {
    const [rows, total] = await Promise.all([
      listAuditRows(reader, filter, { offset: (p - 1) * page_size, limit: page_size }),
      countAuditRows(reader, filter),
    ])
    return { items: rows.map(toAuditRow), total, page: p, page_size }
  }),

  handleResult(endpoints.exportAuditLog, async ({ query, reader }) => exportRows(query, reader)),
]

const toAuditRow = ({ details, hash: _, credential, ...row }: AuditLogTable): endpoints.AuditRow => ({
  ...row,
  ...endpoints.AuditDetails.parse(JSON.parse(details)),
  credential: endpoints.CREDENTIALS.find(name => name === credential) ?? 'none',
})

const COLUMNS = [
  'id',
  'created_at',
  'actor_id',
  'actor_name',
  'credential',
  'address',
  'request_id',
  'action',
  'kind',
  'code',
  'details',
  'hash',
] as const
const BATCH_ROWS = 500

/** The stored columns, so that the chain can be recomputed from the file. */
function exportRows(filter: endpoints.AuditFilter, reader: ApiContext['reader']): Response {
  const chunks = readCsv(filter, reader)
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void chunks.return(),
  })
  return new Response(body, { headers: csvHeaders('audit-log.csv') })
}

async function* readCsv(
  filter: endpoints.AuditFilter,
  reader: ApiContext['reader'],
): AsyncGenerator<string, void> {
  yield `${COLUMNS.join(',')}\r\n`
  let beforeId = Number.MAX_SAFE_INTEGER
  for (let sent = 0; sent < endpoints.AUDIT_EXPORT_ROWS_MAX; sent += BATCH_ROWS) {
    const rows = await listAuditRows(reader, filter, { limit: BATCH_ROWS, beforeId })
    yield rows.map(row => `${COLUMNS.map(name => csvCell(row[name])).join(',')}\r\n`).join('')
    if (rows.length < BATCH_ROWS) return
    beforeId = rows.at(-1)?.id ?? 0
  }
}

export const feature = defineFeature({
  options,
  migrations: [auditLog],
  verify: async context => (await import('./verify-chain.ts')).verifyAuditLog(context),
  on: { callStarted: recordCall, changeStarted: recordProgramChange },
  start: ({ db, secrets, log, settings }) => ({
    routes,
    jobs: [() => startRetention({ db, secrets, log, days: () => settings.of(options).AuditLogDays })],
  }),
})
