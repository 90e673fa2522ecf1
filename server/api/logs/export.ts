import { LOG_EXPORT_ROWS_MAX } from '#contract/logs/logs.ts'
import type { Database } from '../../db/engine/database.ts'
import { type LogRow, listLogsAfter } from '../../db/logs/log-reads.ts'
import type { LogSelection } from './filter.ts'
import { toLogEntry, type Viewer } from './view.ts'

const ROWS_AT_ONCE = 1000
/** Spreadsheets read the text as UTF-8 only when it begins with this mark. */
const BYTE_ORDER_MARK = '\uFEFF'
/** A cell that begins with one of these would be run as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/

const COLUMNS = [
  'id',
  'request_id',
  'created_at',
  'type',
  'username',
  'token_name',
  'group',
  'model_name',
  'prompt_tokens',
  'completion_tokens',
  'quota',
  'use_time',
  'is_stream',
  'channel',
  'channel_name',
  'content',
  'other',
] as const

/** The rows that match as CSV, newest first, sent while they are read. */
export function exportLogs(db: Database, wanted: LogSelection, viewer: Viewer): Response {
  const encoder = new TextEncoder()
  const lots = streamCsv(db, wanted, viewer)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lots.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void lots.return(),
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="log.csv"',
    },
  })
}

async function* streamCsv(
  db: Database,
  { filter, range }: LogSelection,
  viewer: Viewer,
): AsyncGenerator<string, void> {
  yield `${BYTE_ORDER_MARK}${COLUMNS.join(',')}\r\n`
  let after: Pick<LogRow, 'created_at' | 'id'> = { created_at: range.until, id: 0 }
  for (let sent = 0; sent < LOG_EXPORT_ROWS_MAX; sent += ROWS_AT_ONCE) {
    const rows = await listLogsAfter(db, filter, { range: range, after, limit: ROWS_AT_ONCE })
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(row => csvLine(row, viewer)).join('')
    after = last
  }
}

function csvLine(row: LogRow, viewer: Viewer): string {
  const entry = toLogEntry(row, viewer)
  const shown = { ...entry, created_at: new Date(entry.created_at * 1000).toISOString() }
  return `${COLUMNS.map(column => csvCell(shown[column])).join(',')}\r\n`
}

function csvCell(value: string | number | boolean): string {
  const text = typeof value === 'string' && FORMULA_START.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
