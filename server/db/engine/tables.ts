import type { Generated } from 'kysely'
import type { z } from 'zod'
import type { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import type { Cell } from '#contract/entities/stored.ts'
import type { TokenFields } from '#contract/entities/token-fields.ts'
import type { UserRecord } from '#contract/entities/user-fields.ts'
import type {
  AnalyticsCursorTable,
  AnalyticsDayTable,
  AnalyticsGatewayDayTable,
  AnalyticsGatewayHourTable,
  AnalyticsHourTable,
  AnalyticsMinuteTable,
  UnloggedRequestTable,
} from './analytics-tables.ts'
import type {
  ChargeHourTable,
  HoldTable,
  ImportRowTable,
  ImportUsageTable,
  PostingTable,
} from './ledger-tables.ts'

/** The row shape of every table of the base; a feature joins its own with `withTables`. Quota columns hold whole units; times are Unix seconds unless the name ends in `_ms`. */
export interface Tables {
  users: UserTable
  sessions: SessionTable
  tokens: TokenTable
  channels: ChannelTable
  abilities: AbilityTable
  options: OptionTable
  redemptions: RedemptionTable
  mail_codes: MailCodeTable
  account_handles: AccountHandleTable
  tasks: TaskTable
  holds: HoldTable
  postings: PostingTable
  charge_hours: ChargeHourTable
  logs: LogTable
  receipts: ReceiptTable
  request_tags: RequestTagTable
  usage_hours: UsageHourTable
  usage_days: UsageDayTable
  gateway_hours: GatewayHourTable
  gateway_days: GatewayDayTable
  roll_ups: RollUpTable
  analytics_minutes: AnalyticsMinuteTable
  analytics_hours: AnalyticsHourTable
  analytics_days: AnalyticsDayTable
  analytics_gateway_hours: AnalyticsGatewayHourTable
  analytics_gateway_days: AnalyticsGatewayDayTable
  analytics_cursors: AnalyticsCursorTable
  unlogged_requests: UnloggedRequestTable
  topics: CacheVersionTable
  processes: ProcessTable
  rate_windows: RateWindowTable
  import_rows: ImportRowTable
  import_usage: ImportUsageTable
}

/** Both engines store booleans as 0 or 1. */
type Flag = 0 | 1

/** The columns of the fields of an entity. The database gives a new row the same defaults. */
type StoredFields<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault
    ? Generated<Cell<z.output<Shape[Name]>>>
    : Cell<z.output<Shape[Name]>>
}

export interface UserTable extends StoredFields<typeof UserRecord.shape> {
  id: Generated<number>
  /** argon2id, or bcrypt for imported accounts; empty for accounts without a password. */
  password_hash: Generated<string>
  access_token_hash: string | null
  /** Free balance. Changes only together with a posting, as `held_quota` and `aff_quota` do. */
  quota: Generated<number>
  /** Balance reserved by open holds. */
  held_quota: Generated<number>
  /** JSON text: notify_type, quota_warning_threshold, webhook_url and webhook_secret (encrypted), notification_email. */
  setting: Generated<string>
  warned_at: Generated<number>
  created_at: number
  last_login_at: Generated<number>
  deleted_at: number | null
}

export interface SessionTable {
  /** Keyed hash of the cookie or access token, which is never stored itself. */
  id_hash: string
  /** Null before sign-in: a visitor's session holds only the state of the sign-in. */
  user_id: number | null
  created_at: number
  expires_at: number
  /** When the user last authenticated (sign-in, password). */
  authenticated_at: Generated<number>
  /** Unix seconds of the last call, within a minute; 0: none since it is kept. */
  used_at: Generated<number>
  /** As the browser calls itself. */
  device: Generated<string>
  /** Of the client, with the last call. */
  address: Generated<string>
  /** JSON text of a sign-in in progress: state, aff, at; `{}` when there is none. */
  state: Generated<string>
  /** Of an access token of the management API: `token:read,log:write`. Null: a browser. */
  scopes: string | null
  name: Generated<string>
  /** Addresses and ranges that an access token is limited to, one per line; empty: all. */
  ips: Generated<string>
}

export interface TokenTable extends StoredFields<typeof TokenFields.shape> {
  id: Generated<number>
  user_id: number
  key_hash: string
  key_sealed: string
  status: Generated<number>
  created_time: number
  accessed_time: number
  /** The remaining limit of the token. Changes only together with a posting. Meaningless while unlimited. */
  remain_quota: Generated<number>
  used_quota: Generated<number>
  deleted_at: number | null
  /** Of an organisation: the member and the project that it belongs to; 0: none. */
  member_id: Generated<number>
  project_id: Generated<number>
  /** The key before, valid until a time in Unix seconds. */
  former_key_hash: Generated<string | null>
  former_key_until: Generated<number>
}

export interface ChannelTable extends StoredFields<typeof ChannelFields.shape> {
  id: Generated<number>
  key_hash: string
  key_sealed: string
  status: Generated<number>
  created_time: number
  test_time: Generated<number>
  response_time: Generated<number>
  balance: Generated<number>
  balance_updated_time: Generated<number>
  used_quota: Generated<number>
  /** JSON text; empty when unset. */
  other_info: Generated<string>
  /** JSON list of `StoppedModel`; empty for none. */
  stopped_models: Generated<string>
}

/** Derived from `channels`: the cross product of groups and models. Rebuilt in the transaction that changes a channel. */
export interface AbilityTable {
  group: string
  model: string
  channel_id: number
  enabled: Flag
  priority: number
  weight: number
  tag: string
}

export interface OptionTable {
  key: string
  /** Encrypted when the option is secret. */
  value: string
}

export interface RedemptionTable {
  id: Generated<number>
  user_id: number
  key_hash: string
  key_sealed: string
  status: Generated<number>
  name: string
  quota: number
  created_time: number
  redeemed_time: Generated<number>
  used_user_id: Generated<number>
  deleted_at: number | null
}

export interface MailCodeTable {
  /** Keyed hash of purpose and address: at most one valid code for each. */
  address_hash: string
  code_hash: string
  created_at: number
  expires_at: number
  attempts: Generated<number>
}

/** An object that a provider keeps for one account only, such as a stored response, and the account. */
export interface AccountHandleTable {
  /** Hash of the provider's id, or of encrypted content. */
  handle: string
  /** The only user that may refer to it. */
  user_id: number
  /** The restricted token that alone may; 0: any other token of the user; null, in earlier rows: any token. */
  token_id: number | null
  channel_id: number
  /** Keyed hash of the key of the channel that was used. */
  key_hash: string
  expires_at: number
}

/** Asynchronous work that a provider finishes minutes after it is submitted. */
export interface TaskTable {
  id: Generated<number>
  /** The request that submitted the task, and its hold. */
  request_id: string
  /** `mj` for drawing, `suno` for music. */
  platform: string
  /** The provider's id; empty when the provider rejected the task or returned no id. */
  task_id: string
  user_id: number
  channel_id: number
  action: string
  /** The speed in the request's path: fast, relax, turbo; else empty. */
  mode: string
  /** The provider's code in the response to the submission; 0 where it has none. */
  code: number
  prompt: string
  /** Set once: the process that changes it from `open` also closes the hold. */
  outcome: 'open' | 'succeeded' | 'failed'
  /** The provider's own status. */
  status: string
  progress: string
  fail_reason: string
  /** JSON text: further fields of the platform's API. */
  detail: string
  /** The charged amount; 0 when nothing is charged. */
  quota: number
  /** JSON text: the charge and the log entry for the end of the task. */
  bill: string
  created_at_ms: number
  updated_at_ms: number
  submit_time_ms: number
  start_time_ms: number
  finish_time_ms: number
  /** When to poll the task next; null once its money is settled. */
  due_ms: number | null
}

/** A version per subject that grows with each change. Processes compare it to refresh the values they cache. */
export interface CacheVersionTable {
  topic: string
  version: number
}

export interface ProcessTable {
  id: string
  started_at: number
  seen_at: number
}

export interface RateWindowTable {
  subject: string
  /** JSON text: counts by time slice. */
  slices: string
  expires_at: number
}

export interface LogTable {
  id: Generated<number>
  request_id: string
  user_id: number
  created_at: number
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 failed request, 7 rejected request. */
  type: number
  username: string
  token_id: number
  token_name: string
  model_name: string
  channel_id: number
  group: string
  quota: number
  prompt_tokens: number
  completion_tokens: number
  /** Whole seconds, as the API returns them; the receipt has milliseconds. */
  use_time: number
  is_stream: Flag
  content: string
  /** Status and code of a failed request, such as `429 rate_limit_exceeded`; otherwise empty. */
  error: Generated<string>
}

/** What a request is for, as its client says. It may have a row before its log row, or without one. */
export interface RequestTagTable {
  request_id: string
  key: string
  value: string
  /** Unix seconds of the arrival. */
  created_at: number
}

/** JSON text of a log row: prices, ratios, usage buckets, attempts, rounding. A table of its own keeps log rows narrow. */
export interface ReceiptTable {
  log_id: number
  body: string
}

/** Totals by hour, written together with log rows, so that sums, facets and charts never scan the log. */
export interface UsageHourTable {
  hour: number
  user_id: number
  token_id: number
  channel_id: number
  model_name: string
  group: string
  type: number
  count: number
  quota: number
  prompt_tokens: number
  completion_tokens: number
}

/** The same totals by day, for completed days. */
export interface UsageDayTable extends Omit<UsageHourTable, 'hour'> {
  day: number
}

/** Totals by hour over all users and tokens, for completed hours. */
export type GatewayHourTable = Omit<UsageHourTable, 'user_id' | 'token_id'>

/** Totals by day over all users and tokens, for completed days. */
export type GatewayDayTable = Omit<UsageDayTable, 'user_id' | 'token_id'>

export interface RollUpTable {
  /** The table that is filled. */
  name: string
  /** Unix seconds; every period that ends by then is complete. */
  until: number
}
