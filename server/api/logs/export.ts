import { LOG_EXPORT_ROWS_MAX } from '#contract/logs/logs.ts'
import type { Database } from '../../db/engine/database.ts'
import { type LogRow, listLogsAfter } from '../../db/logs/log-reads.ts'
import type { ApiContext } from '../context.ts'
import type { LogSelection } from './filter.ts'
import { type LogAudience, toLogEntry, type Viewer } from './view.ts'

/** Each batch keeps relayed requests waiting while it is formatted. */
const BATCH_ROWS = 250
/** Spreadsheet programs read a CSV file as UTF-8 only when it begins with this mark. */
const BYTE_ORDER_MARK = '\uFEFF'
/**
 * Where a spreadsheet program could find the beginning of a formula (CSV injection): in front of the cell, or behind
 * whatever it takes for a separator.
 */
const FORMULA_START = /(^|[,;|\t\r\n])(?=[ "']*[=+\-@＝＋－＠])|^(?=[\t\r])/g

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

/** A response that has begun cannot say that others come first, so it waits for its turn. */
const BATCH_WAIT_MS_MAX = 10 * 60_000

type ExportDeps = Pick<ApiContext, 'readers' | 'caller' | 'signal' | 'language'>

/**
 * Streams the selected rows as CSV, newest first, at most `LOG_EXPORT_ROWS_MAX`. Its batches take turns with those of other
 * callers, and do not wait behind the caller's own queries.
 */
export function exportLogs(
  { readers, caller, signal, language }: ExportDeps,
  selection: LogSelection,
  viewer: Viewer,
): Response {
  const encoder = new TextEncoder()
  const reader = readers.forCaller({ key: `export by ${caller.id}`, signal, waitMs: BATCH_WAIT_MS_MAX })
  const chunks = streamCsv(reader, selection, { viewer, language })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void chunks.return(),
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
  audience: LogAudience,
): AsyncGenerator<string, void> {
  yield `${BYTE_ORDER_MARK}${COLUMNS.join(',')}\r\n`
  let after: Pick<LogRow, 'created_at' | 'id'> = { created_at: range.until, id: 0 }
  for (let sent = 0; sent < LOG_EXPORT_ROWS_MAX; sent += BATCH_ROWS) {
    const rows = await listLogsAfter(db, filter, { range, after, limit: BATCH_ROWS })
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(row => csvLine(row, audience)).join('')
    after = last
  }
}

function csvLine(row: LogRow, audience: LogAudience): string {
  const entry = toLogEntry(row, audience)
  const shown = { ...entry, created_at: new Date(entry.created_at * 1000).toISOString() }
  return `${COLUMNS.map(column => csvCell(shown[column])).join(',')}\r\n`
}

function csvCell(value: string | number | boolean): string {
  const text = typeof value === 'string' ? value.replaceAll(FORMULA_START, "$&'") : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
