import type { Generated } from 'kysely'

/** Row shapes of every table. Quota columns hold whole units; times are Unix seconds unless the name ends in `_ms`. */
export interface Tables {
  users: UserTable
  sessions: SessionTable
  tokens: TokenTable
  channels: ChannelTable
  abilities: AbilityTable
  options: OptionTable
  redemptions: RedemptionTable
  top_ups: TopUpTable
  mail_codes: MailCodeTable
  tasks: TaskTable
  holds: HoldTable
  postings: PostingTable
  logs: LogTable
  receipts: ReceiptTable
  usage_hours: UsageHourTable
  usage_days: UsageDayTable
  gateway_hours: GatewayHourTable
  gateway_days: GatewayDayTable
  topics: CacheVersionTable
  processes: ProcessTable
  rate_windows: RateWindowTable
}

/** SQLite and PostgreSQL both keep a truth value as 0 or 1. */
type TableFlag = 0 | 1

export interface UserTable {
  id: Generated<number>
  username: string
  display_name: Generated<string>
  /** argon2id, or the bcrypt of an imported account; empty for accounts without a password. */
  password_hash: Generated<string>
  must_change_password: Generated<TableFlag>
  role: Generated<number>
  status: Generated<number>
  /** Verified, in lower case, one account each; empty for none. */
  email: Generated<string>
  /** Who the user is at other parties, one account each; empty for none. */
  github_id: Generated<string>
  linux_do_id: Generated<string>
  wechat_id: Generated<string>
  telegram_id: Generated<string>
  access_token_hash: string | null
  /** Free balance. Changes only together with a posting. */
  quota: Generated<number>
  /** Balance reserved by open holds. Changes only together with a posting. */
  held_quota: Generated<number>
  used_quota: Generated<number>
  request_count: Generated<number>
  group: Generated<string>
  aff_code: string
  aff_count: Generated<number>
  /** Invitation earnings not yet transferred. Changes only together with a posting. */
  aff_quota: Generated<number>
  aff_history_quota: Generated<number>
  inviter_id: Generated<number>
  /** JSON text: notify_type, quota_warning_threshold, webhook_url, webhook_secret (sealed), notification_email. */
  setting: Generated<string>
  warned_at: Generated<number>
  created_at: number
  last_login_at: Generated<number>
  deleted_at: number | null
}

export interface SessionTable {
  /** Keyed hash of the cookie. The cookie itself is never stored. */
  id_hash: string
  /** Null before sign-in: a visitor's session holds only the state of a sign-in under way. */
  user_id: number | null
  created_at: number
  expires_at: number
  /** When the user last proved who they are (sign-in, password). */
  authenticated_at: Generated<number>
  /** JSON text of the sign-in under way: state, aff, at; `{}` when there is none. */
  state: Generated<string>
}

export interface TokenTable {
  id: Generated<number>
  user_id: number
  name: string
  key_hash: string
  key_sealed: string
  status: Generated<number>
  created_time: number
  accessed_time: number
  /** -1 never. */
  expired_time: Generated<number>
  /** What is left of the token's own limit. Changes only together with a posting. Meaningless while unlimited. */
  remain_quota: Generated<number>
  used_quota: Generated<number>
  unlimited_quota: Generated<TableFlag>
  model_limits_enabled: Generated<TableFlag>
  model_limits: Generated<string>
  allow_ips: Generated<string>
  group: Generated<string>
  /** Calls under way at once; 0: no limit. */
  max_concurrency: Generated<number>
  /** Calls begun in a minute; 0: no limit. */
  requests_per_minute: Generated<number>
  deleted_at: number | null
}

export interface ChannelTable {
  id: Generated<number>
  type: number
  name: string
  key_hash: string
  key_sealed: string
  openai_organization: Generated<string>
  test_model: Generated<string>
  status: Generated<number>
  weight: Generated<number>
  priority: Generated<number>
  created_time: number
  test_time: Generated<number>
  response_time: Generated<number>
  base_url: Generated<string>
  other: Generated<string>
  balance: Generated<number>
  balance_updated_time: Generated<number>
  /** Comma lists without spaces or repeats. */
  models: string
  group: Generated<string>
  used_quota: Generated<number>
  /** JSON texts; empty when unset. */
  model_mapping: Generated<string>
  status_code_mapping: Generated<string>
  setting: Generated<string>
  param_override: Generated<string>
  other_info: Generated<string>
  auto_ban: Generated<TableFlag>
  tag: Generated<string>
  max_input_tokens: Generated<number>
}

/** Derived from `channels`: the cross product of groups and models. Rebuilt in the transaction that changes a channel. */
export interface AbilityTable {
  group: string
  model: string
  channel_id: number
  enabled: TableFlag
  priority: number
  weight: number
  tag: string
}

export interface OptionTable {
  key: string
  /** Sealed when the option is secret. */
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

export interface TopUpTable {
  id: Generated<number>
  user_id: number
  trade_no: string
  /** Units credited when paid. */
  quota: number
  /** Money asked for, in hundredths of the payment currency. */
  money_cents: number
  payment_method: string
  status: string
  created_at: number
  completed_at: Generated<number>
  /** JSON list of {at, event, detail}. */
  timeline: Generated<string>
}

export interface MailCodeTable {
  /** Keyed hash of purpose and address: one live code each. */
  address_hash: string
  code_hash: string
  created_at: number
  expires_at: number
  attempts: Generated<number>
}

/** Work that a vendor finishes minutes after it took it. */
export interface TaskTable {
  id: Generated<number>
  /** The request that submitted it, and its hold. */
  request_id: string
  /** `mj` drawing, `suno` music. */
  platform: string
  /** The vendor's id; empty when the vendor took none or gave none. */
  task_id: string
  user_id: number
  channel_id: number
  action: string
  /** The speed that the address asked for: fast, relax, turbo; else empty. */
  mode: string
  /** The vendor's code in answer to the submission; 0 where it has none. */
  code: number
  prompt: string
  /** Decided once: whoever changes it from `open` decides, and the money follows. */
  outcome: 'open' | 'succeeded' | 'failed'
  /** The vendor's own word. */
  status: string
  progress: string
  fail_reason: string
  /** JSON text: what the platform's clients are shown beside these columns. */
  detail: string
  /** What it costs; 0 when nothing was taken. */
  quota: number
  /** JSON text: what is charged and logged at the end. */
  bill: string
  created_at_ms: number
  updated_at_ms: number
  submit_time_ms: number
  start_time_ms: number
  finish_time_ms: number
  /** When somebody must look at it next; null once its money is settled. */
  due_ms: number | null
}

/** A number per subject that grows with each change: processes compare it and read again what they keep in memory. */
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
  /** JSON text: counts by slice of time. */
  slices: string
  expires_at: number
}

/** SQLite and PostgreSQL both keep a truth value as 0 or 1. */
type LedgerFlag = 0 | 1

/** Money reserved for one request that is still running. Closing it deletes the row, or it was closed before. */
export interface HoldTable {
  request_id: string
  user_id: number
  token_id: number | null
  /** 1 when the token has a limit of its own that moves with the wallet. */
  is_token_limited: LedgerFlag
  amount: number
  /** The process that must close it; another closes it when that one is gone. */
  process_id: string
  opened_at: number
}

/**
 * `wallet` (free balance), `held` (reserved), `invitation` (earnings not yet transferred) belong to the posting's
 * user; `token` (what a limited token may still spend) to its token; `revenue` (charges), `issued` (money that came
 * in) and `limits` (what tokens were allowed) are the gateway's.
 */
export type Account = 'wallet' | 'held' | 'invitation' | 'token' | 'revenue' | 'issued' | 'limits'

/** The books: append-only. Each row moves an amount from one account to another, so every row sums to zero. */
export interface PostingTable {
  id: Generated<number>
  kind: string
  from_account: Account
  to_account: Account
  amount: number
  user_id: number
  /** The token that was used or whose limit was set; null when none was. */
  token_id: number | null
  /** 1 when the token's limit moved the same way as the wallet. */
  is_token_limited: Generated<LedgerFlag>
  /** The channel that served a charge; null otherwise. */
  channel_id: number | null
  /** Empty for what no request caused. */
  request_id: string
  /** Who did it: a user id for management actions, 0 for the gateway. */
  actor_id: Generated<number>
  reason: Generated<string>
  created_at: number
}

export interface LogTable {
  id: Generated<number>
  request_id: string
  user_id: number
  created_at: number
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 failed request. */
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
  /** Whole seconds, for the wire; the receipt has milliseconds. */
  use_time: number
  is_stream: LedgerFlag
  content: string
}

/** JSON text beside a log row: prices, ratios, usage buckets, attempts, rounding. Kept apart so that log rows stay narrow. */
export interface ReceiptTable {
  log_id: number
  body: string
}

/** Written with each log row of a request, so that totals, facets and charts never scan the log. */
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

/** The same sums by day, for the days that are over. */
export interface UsageDayTable extends Omit<UsageHourTable, 'hour'> {
  day: number
}

/** The hours' sums without users and tokens, for the hours that are over. */
export type GatewayHourTable = Omit<UsageHourTable, 'user_id' | 'token_id'>

/** The days' sums without users and tokens, for the days that are over. */
export type GatewayDayTable = Omit<UsageDayTable, 'user_id' | 'token_id'>
