import type { LOG_TYPE } from '#contract/enums.ts'
import { nowSeconds } from '../../core/clock.ts'
import { type BothLanguages, toStoredText } from '../../core/language.ts'
import { startOfHour } from '../../core/usage.ts'
import { bulkInsert, bulkStatement, insertInto } from '../engine/bulk.ts'
import type { Connection, Database } from '../engine/database.ts'
import type { Engine } from '../migrations/migration.ts'
import { addToUsageHours } from '../usage/usage-hours.ts'

/** The log row of a model call, in the order of the columns. */
export interface RequestLogRow {
  readonly request_id: string
  readonly user_id: number
  readonly created_at: number
  readonly type: typeof LOG_TYPE.consumption | typeof LOG_TYPE.failure | typeof LOG_TYPE.rejection
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
  /** Status and code of a failed request; otherwise empty. */
  readonly error: string
}

/** A log row and the JSON text of its receipt. */
export interface LoggedRequest {
  readonly row: RequestLogRow
  readonly receipt: string
}

/** Inserts log rows with their receipts. */
export async function insertRequestLogs(
  connection: Connection,
  engine: Engine,
  requests: readonly LoggedRequest[],
): Promise<void> {
  const insertLogs = engine === 'sqlite' ? insertLogsInOrder : insertLogsByRequest
  const ids = await insertLogs(
    connection,
    requests.map(({ row }) => row),
  )
  await insertReceipts(
    connection,
    requests.map(({ receipt }, index) => ({ log_id: ids[index] ?? 0, body: receipt })),
  )
}

/** The columns of every log row of a model call. */
export const REQUEST_LOG_COLUMNS = [
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
  'error',
] as const

const { text: logInsertText, addCells: addLogCells } = insertInto('logs', REQUEST_LOG_COLUMNS)

/** Returns the ids of the new rows in their order: SQLite numbers the rows of one statement consecutively. */
const insertLogsInOrder = bulkStatement<RequestLogRow, number>({
  text: logInsertText,
  addCells: addLogCells,
  readResults: ({ insertId = 0n }, count) =>
    Array.from({ length: count }, (_, index) => Number(insertId) - count + 1 + index),
})

/** The same for PostgreSQL, which may number the rows in any order. */
async function insertLogsByRequest(
  connection: Connection,
  rows: readonly RequestLogRow[],
): Promise<readonly number[]> {
  const inserted = await insertReturningIds(connection, rows)
  const ids = new Map(inserted.map(({ id, request_id }) => [request_id, id]))
  return rows.map(row => ids.get(row.request_id) ?? 0)
}

const insertReturningIds = bulkStatement<RequestLogRow, { id: number; request_id: string }>({
  text: rows => `${logInsertText(rows)} returning id, request_id`,
  addCells: addLogCells,
})

const insertReceipts = bulkInsert('receipts', ['log_id', 'body'])

/** Keeps requests that leave no log row until analytics have counted them. */
export const insertUnloggedRequests = (connection: Connection, requests: readonly LoggedRequest[]) =>
  insertUnlogged(
    connection,
    requests.map(({ row, receipt }) => ({ ...row, body: receipt })),
  )

const insertUnlogged = bulkInsert('unlogged_requests', [
  'created_at',
  'type',
  'user_id',
  'token_id',
  'channel_id',
  'model_name',
  'group',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'error',
  'body',
])

/** The types of log rows that are not model calls. */
export type EventLogType = typeof LOG_TYPE.topUp | typeof LOG_TYPE.management | typeof LOG_TYPE.system

export interface LoggedEvent {
  readonly type: EventLogType
  readonly userId: number
  readonly username: string
  /** A sentence for people, with amounts formatted as the settings ask for. */
  readonly content: BothLanguages
  /** The moved units; 0 when none were. */
  readonly quota?: number
  readonly requestId?: string
}

/** Inserts the log row of an event that is not a model call and counts it in its hour, in the caller's transaction. */
export async function insertEventLog(tx: Database, event: LoggedEvent): Promise<void> {
  const created_at = nowSeconds()
  await addToUsageHours(tx, [
    {
      hour: startOfHour(created_at),
      user_id: event.userId,
      token_id: 0,
      channel_id: 0,
      model_name: '',
      group: '',
      type: event.type,
      count: 1,
      quota: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
    },
  ])
  await tx
    .insertInto('logs')
    .values({
      request_id: event.requestId ?? '',
      user_id: event.userId,
      created_at,
      type: event.type,
      username: event.username,
      token_id: 0,
      token_name: '',
      model_name: '',
      channel_id: 0,
      group: '',
      quota: event.quota ?? 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      use_time: 0,
      is_stream: 0,
      content: toStoredText(event.content),
    })
    .execute()
}
