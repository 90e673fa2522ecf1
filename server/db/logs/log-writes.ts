import { nowSeconds } from '../../core/clock.ts'
import { bulkStatement, type Cell, insertInto } from '../engine/bulk.ts'
import type { Connection, Database } from '../engine/database.ts'
import type { Engine } from '../migrations/migration.ts'
import { addToUsageHours } from '../usage/usage-hours.ts'

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
  session: Connection,
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
const insertNumbered = bulkStatement<LoggedRequest, number>({
  text: INTO_LOGS,
  addCells: addLogCells,
  readResults: ({ insertId = 0n }, count) =>
    Array.from({ length: count }, (_, index) => Number(insertId) - count + 1 + index),
})

const insertAndReturn = bulkStatement<LoggedRequest, { id: number; request_id: string }>({
  text: rows => `${INTO_LOGS(rows)} returning id, request_id`,
  addCells: addLogCells,
})

/** The same where the database may number them in any order. */
async function insertAndFind(session: Connection, requests: readonly LoggedRequest[]): Promise<number[]> {
  const rows = await insertAndReturn(session, requests)
  const ids = new Map(rows.map(row => [row.request_id, row.id]))
  return requests.map(({ row }) => ids.get(row.request_id) ?? 0)
}

const insertReceipts = bulkStatement<{ readonly log_id: number; readonly body: string }>({
  text: insertInto('receipts', ['log_id', 'body']),
  addCells: (receipt, cells) => void cells.push(receipt.log_id, receipt.body),
})

/** 1 top-up, 3 management, 4 system. */
export type EventLogType = 1 | 3 | 4

export interface LoggedEvent {
  readonly type: EventLogType
  readonly userId: number
  readonly username: string
  /** For people, in plain words; amounts as the settings show them. */
  readonly content: string
  /** Units that were moved; 0 when none were. */
  readonly quota?: number
  readonly requestId?: string
}

const HOUR_SECONDS = 3600

/** Writes the log row of something that was not a model call, and counts it in its hour, in the caller's transaction. */
export async function insertEventLog(tx: Database, event: LoggedEvent): Promise<void> {
  const created_at = nowSeconds()
  await addToUsageHours(tx, [
    {
      hour: created_at - (created_at % HOUR_SECONDS),
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
      content: event.content,
    })
    .execute()
}
