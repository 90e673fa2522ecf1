import { bulkInsert } from './bulk.ts'

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

const REQUEST_LOG_COLUMNS = [
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
] as const

/** Gives the number of each new row beside its request, in no particular order. */
export const insertRequestLogs = bulkInsert<
  'logs',
  (typeof REQUEST_LOG_COLUMNS)[number],
  { id: number; request_id: string }
>('logs', REQUEST_LOG_COLUMNS, 'returning id, request_id')

export const insertReceipts = bulkInsert('receipts', ['log_id', 'body'])
