import type { Account } from './book-tables.ts'
import { bulkInsert } from './bulk.ts'

export interface PostingRow {
  readonly kind: string
  readonly from_account: Account
  readonly to_account: Account
  readonly amount: number
  readonly user_id: number
  readonly token_id: number | null
  readonly is_token_limited: 0 | 1
  readonly channel_id: number | null
  readonly request_id: string
  readonly actor_id: number
  readonly reason: string
  readonly created_at: number
}

export const insertPostings = bulkInsert('postings', [
  'kind',
  'from_account',
  'to_account',
  'amount',
  'user_id',
  'token_id',
  'is_token_limited',
  'channel_id',
  'request_id',
  'actor_id',
  'reason',
  'created_at',
])
