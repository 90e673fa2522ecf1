import { bulk, type Cell, insertInto } from './bulk.ts'
import type { Engine } from './migrations/migration.ts'
import type { Session } from './session.ts'

export const CONSUMPTION = 2
export const FAILED_REQUEST = 5

export interface RequestLogRow {
  readonly request_id: string
  readonly user_id: number
  readonly created_at: number
  readonly type: typeof CONSUMPTION | typeof FAILED_REQUEST
  readonly username: string
  readonly token_id: number
  readonly token_name: string
  readonly model_name: string
  readonly channel_id: number
  readonly group: string
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly use_time: number
  readonly is_stream: 0 | 1
  readonly content: string
}

/** A log row and the JSON text of its receipt. */
export interface LoggedRequest {
  readonly row: RequestLogRow
  readonly receipt: string
}

export async function insertRequestLogs(
  session: Session,
  engine: Engine,
  requests: readonly LoggedRequest[],
): Promise<void> {
  const ids = await (engine === 'sqlite' ? insertNumbered : insertAndFind)(session, requests)
  await insertReceipts(
    session,
    requests.map(({ receipt }, index) => ({ log_id: ids[index] ?? 0, body: receipt })),
  )
}

const INTO_LOGS = insertInto('logs', [
  'request_id',
  'user_id',
  'created_at',
  'type',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'channel_id',
  'group',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'content',
])

const addLogCells = ({ row }: LoggedRequest, cells: Cell[]): void =>
  void cells.push(
    row.request_id,
    row.user_id,
    row.created_at,
    row.type,
    row.username,
    row.token_id,
    row.token_name,
    row.model_name,
    row.channel_id,
    row.group,
    row.quota,
    row.prompt_tokens,
    row.completion_tokens,
    row.use_time,
    row.is_stream,
    row.content,
  )

/** Gives the numbers of the new rows in their order. SQLite numbers the rows of one statement one after the other. */
const insertNumbered = bulk<LoggedRequest, number>({
  text: INTO_LOGS,
  addCells: addLogCells,
  resultsOf: ({ insertId = 0n }, count) =>
    Array.from({ length: count }, (_, index) => Number(insertId) - count + 1 + index),
})

const insertAndReturn = bulk<LoggedRequest, { id: number; request_id: string }>({
  text: rows => `${INTO_LOGS(rows)} returning id, request_id`,
  addCells: addLogCells,
})

/** The same where the database may number them in any order. */
async function insertAndFind(session: Session, requests: readonly LoggedRequest[]): Promise<number[]> {
  const rows = await insertAndReturn(session, requests)
  const ids = new Map(rows.map(row => [row.request_id, row.id]))
  return requests.map(({ row }) => ids.get(row.request_id) ?? 0)
}

const insertReceipts = bulk<{ readonly log_id: number; readonly body: string }>({
  text: insertInto('receipts', ['log_id', 'body']),
  addCells: (receipt, cells) => void cells.push(receipt.log_id, receipt.body),
})
