import type { ChannelBalanceDelta, TokenBalanceDelta, UserBalanceDelta } from '../db/billing/balances.ts'
import type { HoldRow } from '../db/billing/holds.ts'
import type { HoldPostingRow, SettlementRow, SingleMove } from '../db/billing/postings.ts'
import type { LoggedRequest, RequestLogRow } from '../db/logs/log-writes.ts'
import type { UsageHourRow } from '../db/usage/usage-hours.ts'
import type { LogEntry, Receipt } from './ledger-command.ts'

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }
interface RequestToLog {
  readonly type: RequestLogRow['type']
  readonly amount: number
  readonly entry: LogEntry
  readonly receipt: Receipt
  /** False: only the hour's totals are written. */
  readonly isRowLogged: boolean
}

const HOUR_SECONDS = 3600
const ZERO_COUNTS = { count: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 }

/**
 * What one transaction will write: postings and log rows one by one, balances and hours summed, so that many requests
 * of one user cost one update of that user.
 */
export class LedgerBatch {
  readonly postings: Readonly<Record<SingleMove, HoldPostingRow[]>> = {
    hold: [],
    extension: [],
    overrun: [],
    charge: [],
    release: [],
  }
  readonly settlements: SettlementRow[] = []
  readonly logs: LoggedRequest[] = []
  private readonly users = new Map<number, Mutable<UserBalanceDelta>>()
  private readonly tokens = new Map<number, Mutable<TokenBalanceDelta>>()
  private readonly channels = new Map<number, Mutable<ChannelBalanceDelta>>()
  private readonly hours = new Map<string, Mutable<UsageHourRow>>()
  private lastHourRow: Mutable<UsageHourRow> | undefined
  readonly nowSeconds: number

  constructor(nowSeconds: number) {
    this.nowSeconds = nowSeconds
  }

  post(hold: HoldRow, move: SingleMove, amount: number, channelId: number | null = null): void {
    this.postings[move].push({
      amount,
      user_id: hold.user_id,
      token_id: hold.token_id,
      is_token_limited: hold.is_token_limited,
      channel_id: channelId,
      request_id: hold.request_id,
    })
  }

  /** A charge that leaves something of its hold. */
  postSettlement(hold: HoldRow, charge: number, channelId: number): void {
    this.settlements.push({
      charge,
      rest: hold.amount - charge,
      user_id: hold.user_id,
      token_id: hold.token_id,
      is_token_limited: hold.is_token_limited,
      channel_id: channelId,
      request_id: hold.request_id,
    })
  }

  addToUser(move: UserBalanceDelta): void {
    const sum = this.users.get(move.userId)
    if (!sum) return void this.users.set(move.userId, { ...move })
    sum.quota += move.quota
    sum.held += move.held
    sum.used += move.used
    sum.requests += move.requests
  }

  addToToken(move: TokenBalanceDelta): void {
    const sum = this.tokens.get(move.tokenId)
    if (!sum) return void this.tokens.set(move.tokenId, { ...move })
    sum.remain += move.remain
    sum.used += move.used
    sum.usedAt = Math.max(sum.usedAt, move.usedAt)
  }

  addToChannel(move: ChannelBalanceDelta): void {
    const sum = this.channels.get(move.channelId)
    if (sum) sum.used += move.used
    else this.channels.set(move.channelId, { ...move })
  }

  log(hold: HoldRow, request: RequestToLog): void {
    const row = this.toLogRow(hold, request)
    if (request.isRowLogged) this.logs.push({ row, receipt: JSON.stringify(request.receipt) })
    this.addToHour(row)
  }

  userDeltas(): UserBalanceDelta[] {
    return [...this.users.values()].sort((a, b) => a.userId - b.userId)
  }

  tokenDeltas(): TokenBalanceDelta[] {
    return [...this.tokens.values()].sort((a, b) => a.tokenId - b.tokenId)
  }

  channelDeltas(): ChannelBalanceDelta[] {
    return [...this.channels.values()].sort((a, b) => a.channelId - b.channelId)
  }

  hourRows(): UsageHourRow[] {
    return [...this.hours.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  }

  private toLogRow(hold: HoldRow, { type, amount, entry }: RequestToLog): RequestLogRow {
    return {
      request_id: hold.request_id,
      user_id: hold.user_id,
      created_at: this.nowSeconds,
      type,
      username: storable(entry.username),
      token_id: hold.token_id ?? 0,
      token_name: storable(entry.tokenName),
      model_name: storable(entry.modelName),
      channel_id: entry.channelId,
      group: storable(entry.group),
      quota: amount,
      prompt_tokens: entry.promptTokens,
      completion_tokens: entry.completionTokens,
      use_time: Math.floor(entry.useTimeSeconds),
      is_stream: entry.isStream ? 1 : 0,
      content: storable(entry.content),
    }
  }

  private addToHour(log: RequestLogRow): void {
    const sum = this.findHourRow(log)
    sum.count += 1
    sum.quota += log.quota
    sum.prompt_tokens += log.prompt_tokens
    sum.completion_tokens += log.completion_tokens
  }

  /** Most requests of one batch count in the same row as the one before them. */
  private findHourRow(log: RequestLogRow): Mutable<UsageHourRow> {
    if (this.lastHourRow && hasSameKey(this.lastHourRow, log)) return this.lastHourRow
    const hour = log.created_at - (log.created_at % HOUR_SECONDS)
    const { user_id, token_id, channel_id, model_name, group, type } = log
    const key = `${hour}\0${user_id}\0${token_id}\0${channel_id}\0${model_name}\0${group}\0${type}`
    const place = { hour, user_id, token_id, channel_id, model_name, group, type }
    const row = this.hours.get(key) ?? { ...place, ...ZERO_COUNTS }
    this.hours.set(key, row)
    this.lastHourRow = row
    return row
  }
}

/** Whether the row is of the same hour need not be asked: all of a batch are written at one time. */
const hasSameKey = (row: UsageHourRow, log: RequestLogRow): boolean =>
  row.user_id === log.user_id &&
  row.token_id === log.token_id &&
  row.channel_id === log.channel_id &&
  row.type === log.type &&
  row.model_name === log.model_name &&
  row.group === log.group

/** PostgreSQL refuses the character NUL in a text, and an upstream's error text may hold one. */
const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text)
