import type { ApiContext } from '#server/api/context.ts'
import { BYTE_ORDER_MARK, csvCell, csvHeaders } from '#server/api/csv.ts'
import { nextTurn } from '#server/core/async.ts'
import type { Database } from '#server/db/engine/database.ts'
import { LOG_EXPORT_ROWS_MAX } from '../contract/log-export.ts'
import type { LogSelection } from './filter.ts'
import { type CsvCell, type CsvLines, type FileLayout, plainLines } from './plain-lines.ts'
import { type LogRow, listLogsAfter } from './queries/log-reads.ts'
import { type LogAudience, tagsText, toLogView, type Viewer } from './view.ts'

const BATCH_ROWS = 250

/** Formatting a row takes up to 40 µs, and streams wait meanwhile. */
const ROWS_PER_TURN = 20
const RAW_COLUMNS = [
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
  'tags',
] as const

/** A response that has begun cannot say that others come first, so it waits for its turn. */
const BATCH_WAIT_MS_MAX = 10 * 60_000

interface LogFile {
  readonly selection: LogSelection
  readonly viewer: Viewer
  readonly query: FileLayout
}

type ExportDeps = Pick<ApiContext, 'readers' | 'caller' | 'signal' | 'language'>

/**
 * Streams the selected rows as CSV, newest first, at most `LOG_EXPORT_ROWS_MAX`. Its batches take turns with those of other
 * callers, and do not wait behind the caller's own queries.
 */
export function exportLogs(
  { readers, caller, signal, language }: ExportDeps,
  { selection, viewer, query }: LogFile,
): Response {
  const encoder = new TextEncoder()
  const reader = readers.forCaller({ key: `export by ${caller.id}`, signal, waitMs: BATCH_WAIT_MS_MAX })
  const lines =
    query.layout === 'plain' ? plainLines({ viewer, language }, query) : rawLines({ viewer, language })
  const chunks = streamCsv(reader, selection, lines)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void chunks.return(),
  })
  return new Response(body, { headers: csvHeaders('log.csv') })
}

async function* streamCsv(
  db: Database,
  { filter, range }: LogSelection,
  lines: CsvLines,
): AsyncGenerator<string, void> {
  yield `${BYTE_ORDER_MARK}${toLine(lines.head)}`
  let after: Pick<LogRow, 'created_at' | 'id'> = { created_at: range.until, id: 0 }
  for (let sent = 0; sent < LOG_EXPORT_ROWS_MAX; sent += BATCH_ROWS) {
    const rows = await listLogsAfter(db, filter, { range, after, limit: BATCH_ROWS })
    const last = rows.at(-1)
    if (!last) return
    yield await formatRows(rows, lines)
    after = last
  }
}

/** Lets relayed requests take their turns in between. */
async function formatRows(rows: readonly LogRow[], { cellsOf }: CsvLines): Promise<string> {
  let text = ''
  for (let at = 0; at < rows.length; at += ROWS_PER_TURN) {
    for (const row of rows.slice(at, at + ROWS_PER_TURN)) text += toLine(cellsOf(row))
    await nextTurn()
  }
  return text
}

const toLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`

function rawLines(audience: LogAudience): CsvLines {
  return {
    head: RAW_COLUMNS,
    cellsOf(row) {
      const entry = toLogView(row, audience)
      const tags = tagsText(entry)
      const shown = { ...entry, tags, created_at: new Date(entry.created_at * 1000).toISOString() }
      return RAW_COLUMNS.map(column => shown[column])
    },
  }
}
