import { startOfHour } from '../core/usage.ts'
import type { ChannelBalanceDelta, TokenBalanceDelta, UserBalanceDelta } from '../db/billing/balances.ts'
import type { ChargeHourRow } from '../db/billing/charge-hours.ts'
import type { HoldRow } from '../db/billing/holds.ts'
import {
  HOLD_POSTING_ACCOUNTS,
  type HoldPostingKind,
  type HoldPostingRow,
  PLAN_CHARGE_ACCOUNTS,
} from '../db/billing/postings.ts'
import { withoutNul } from '../db/engine/text.ts'
import type { LoggedRequest, RequestLogRow } from '../db/logs/log-writes.ts'
import type { UsageHourRow } from '../db/usage/usage-hours.ts'
import { type BudgetDelta, type BudgetUse, readShares, usedOf } from './budgets.ts'
import type { Bill, BudgetShare, LogEntry, LogReceipt } from './ledger-command.ts'

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

interface LoggableRequest {
  readonly type: RequestLogRow['type']
  readonly amount: number
  readonly entry: LogEntry
  readonly receipt: LogReceipt
  /** Status and code of a failed request; otherwise empty. */
  readonly error: string
  /** False: only the totals of the hour are written. */
  readonly isRowLogged: boolean
}

const ZERO_COUNTS = { count: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 }

/**
 * The rows that one transaction writes. Postings and log rows are kept one by one; balances and hours are summed, so that
 * many requests of one user cost one update of that user.
 */
export class LedgerBatch {
  /** The Unix time of every row in the batch. */
  readonly nowSeconds: number
  readonly logs: LoggedRequest[] = []
  /** Requests without log rows, which analytics count all the same. */
  readonly unlogged: LoggedRequest[] = []
  readonly budgetUses: BudgetUse[] = []
  /** By budget and window. */
  readonly budgets = new Map<string, Mutable<BudgetDelta>>()
  private postings: HoldPostingRow[] = []
  private readonly users = new Map<number, Mutable<UserBalanceDelta>>()
  private readonly tokens = new Map<number, Mutable<TokenBalanceDelta>>()
  private readonly channels = new Map<number, Mutable<ChannelBalanceDelta>>()
  private readonly charges = new Map<number, Mutable<ChargeHourRow>>()
  private readonly hours = new Map<string, Mutable<UsageHourRow>>()
  private lastHourRow: Mutable<UsageHourRow> | undefined

  constructor(nowSeconds: number) {
    this.nowSeconds = nowSeconds
  }

  /** Adds a posting of the hold. `channelId` only for charges. */
  post(hold: HoldRow, kind: HoldPostingKind, amount: number, channelId: number | null = null): void {
    const isPaidByPlan = kind === 'charge' && hold.paid_by !== null
    const { from, to } = isPaidByPlan ? PLAN_CHARGE_ACCOUNTS : HOLD_POSTING_ACCOUNTS[kind]
    this.postings.push({
      kind,
      from_account: from,
      to_account: to,
      amount,
      user_id: hold.user_id,
      token_id: hold.token_id,
      is_token_limited: hold.is_token_limited,
      channel_id: channelId,
      request_id: hold.request_id,
      created_at: this.nowSeconds,
    })
  }

  /** The postings since the last call. */
  takePostings(): readonly HoldPostingRow[] {
    const taken = this.postings
    this.postings = []
    return taken
  }

  addToUser(delta: UserBalanceDelta): void {
    const sum = this.users.get(delta.userId)
    if (!sum) return void this.users.set(delta.userId, { ...delta })
    sum.quota += delta.quota
    sum.held += delta.held
    sum.used += delta.used
    sum.requests += delta.requests
  }

  addToToken(delta: TokenBalanceDelta): void {
    const sum = this.tokens.get(delta.tokenId)
    if (!sum) return void this.tokens.set(delta.tokenId, { ...delta })
    sum.remain += delta.remain
    sum.used += delta.used
    sum.usedAt = Math.max(sum.usedAt, delta.usedAt)
  }

  addToChannel(delta: ChannelBalanceDelta): void {
    const sum = this.channels.get(delta.channelId)
    if (sum) sum.used += delta.used
    else this.channels.set(delta.channelId, { ...delta })
  }

  /** Takes shares of budgets for a new or extended hold. */
  holdShares(shares: readonly BudgetShare[]): void {
    for (const { budgetId, window, amount } of shares)
      this.addToBudget({ budgetId, window, used: 0, held: amount })
  }

  /** Returns the shares of a closed hold, and keeps what its bill used of them. */
  closeShares(hold: HoldRow, bill?: Bill): void {
    for (const share of hold.budgets === null ? [] : readShares(hold)) {
      const { budgetId, window } = share
      const amount = bill ? usedOf(share, bill) : 0
      this.addToBudget({ budgetId, window, used: amount, held: -share.amount })
      if (bill) this.budgetUses.push({ ...bill, budgetId, window, requestId: hold.request_id, amount })
    }
  }

  private addToBudget(delta: BudgetDelta): void {
    const key = `${delta.budgetId} ${delta.window}`
    const sum = this.budgets.get(key)
    if (!sum) return void this.budgets.set(key, { ...delta })
    sum.used += delta.used
    sum.held += delta.held
  }

  /** Adds a charge of the hold to the user's hour. */
  addCharge({ user_id }: HoldRow, amount: number): void {
    const sum = this.charges.get(user_id)
    if (!sum)
      return void this.charges.set(user_id, { user_id, hour: startOfHour(this.nowSeconds), amount, count: 1 })
    sum.amount += amount
    sum.count += 1
  }

  /** Adds a request to its hour and its log row; one without a row is kept until it is counted. */
  log(hold: HoldRow, request: LoggableRequest): void {
    const row = this.toLogRow(hold, request)
    const logged = { row, receipt: JSON.stringify(request.receipt) }
    if (request.isRowLogged) this.logs.push(logged)
    else this.unlogged.push(logged)
    this.addToHour(row)
  }

  /** Sorted by id, as all sums are, so that all processes lock rows in the same order. */
  userDeltas(): UserBalanceDelta[] {
    return [...this.users.values()].sort((a, b) => a.userId - b.userId)
  }

  tokenDeltas(): TokenBalanceDelta[] {
    return [...this.tokens.values()].sort((a, b) => a.tokenId - b.tokenId)
  }

  channelDeltas(): ChannelBalanceDelta[] {
    return [...this.channels.values()].sort((a, b) => a.channelId - b.channelId)
  }

  chargeHourRows(): ChargeHourRow[] {
    return [...this.charges.values()].sort((a, b) => a.user_id - b.user_id)
  }

  hourRows(): UsageHourRow[] {
    return [...this.hours.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  }

  private toLogRow(hold: HoldRow, { type, amount, entry, error }: LoggableRequest): RequestLogRow {
    return {
      request_id: hold.request_id,
      user_id: hold.user_id,
      created_at: this.nowSeconds,
      type,
      username: withoutNul(entry.username),
      token_id: hold.token_id ?? 0,
      token_name: withoutNul(entry.tokenName),
      model_name: withoutNul(entry.modelName),
      channel_id: entry.channelId,
      group: withoutNul(entry.group),
      quota: amount,
      prompt_tokens: entry.promptTokens,
      completion_tokens: entry.completionTokens,
      use_time: Math.floor(entry.useTimeSeconds),
      is_stream: entry.isStream ? 1 : 0,
      content: withoutNul(entry.content),
      error: withoutNul(error),
    }
  }

  private addToHour(log: RequestLogRow): void {
    const sum = this.findHourRow(log)
    sum.count += 1
    sum.quota += log.quota
    sum.prompt_tokens += log.prompt_tokens
    sum.completion_tokens += log.completion_tokens
  }

  /** Most requests of a batch belong to the same row as the previous request, which saves building the key. */
  private findHourRow(log: RequestLogRow): Mutable<UsageHourRow> {
    if (this.lastHourRow && hasSameKey(this.lastHourRow, log)) return this.lastHourRow
    const hour = startOfHour(log.created_at)
    const { user_id, token_id, channel_id, model_name, group, type } = log
    const key = `${hour}\0${user_id}\0${token_id}\0${channel_id}\0${model_name}\0${group}\0${type}`
    const columns = { hour, user_id, token_id, channel_id, model_name, group, type }
    const row = this.hours.get(key) ?? { ...columns, ...ZERO_COUNTS }
    this.hours.set(key, row)
    this.lastHourRow = row
    return row
  }
}

/** The hour needs no comparison: all rows of a batch have the same time. */
const hasSameKey = (row: UsageHourRow, log: RequestLogRow): boolean =>
  row.user_id === log.user_id &&
  row.token_id === log.token_id &&
  row.channel_id === log.channel_id &&
  row.type === log.type &&
  row.model_name === log.model_name &&
  row.group === log.group
