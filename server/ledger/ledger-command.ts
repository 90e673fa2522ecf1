import type { GatewayError, ModelBend } from '../core/errors.ts'
import type { Quota } from '../core/money.ts'

/** A reservation that a request makes before the gateway sends its first byte upstream. */
export interface HoldRequest {
  readonly requestId: string
  readonly userId: number
  /** Null for calls without a token: from the playground, or to test a channel. */
  readonly tokenId: number | null
  /** The token has a limit of its own, which moves together with the wallet. */
  readonly isTokenLimited: boolean
  /**
   * The most that the request can cost. Zero for a free model only: such a hold is granted on an empty wallet too.
   */
  readonly amount: Quota
  /**
   * What wallet and token must have for the hold to be granted; by default the full amount. A hold that exceeds what they
   * have takes them below zero, so that nothing else is granted until it is closed.
   */
  readonly minimum?: Quota
  /** Undefined when concurrent requests are not limited. */
  readonly limits?: ConcurrencyLimits
  /** What budgets look at beside user and token. */
  readonly use?: RequestedUse
  /** The budgets that the request uses, each at most once: all of them or none. */
  readonly budgets?: HeldShares
  readonly paidBy?: PayingSubscription
}

/** A subscription that pays for a request instead of wallet and token. Budgets count its list price all the same. */
export interface PayingSubscription {
  readonly subscriptionId: number
  /** The name of its plan. */
  readonly plan: string
}

/** A subscription that may cover a request. */
export interface SubscriptionOffer extends PayingSubscription {
  /** What its client is told when nothing is left of it. Undefined: the wallet pays. */
  reject(excess: GatewayError): GatewayError | undefined
}

export type HeldShares = readonly BudgetShare[]

export interface RequestedUse {
  readonly group: string
  /** Whose budgets apply beside those of its user and token. */
  readonly subjects: readonly BudgetSubject[]
  readonly model: string
  /** Others that the request lets answer. */
  readonly others?: readonly string[]
  /** What has replaced its model so far. Undefined where no budget may replace it. */
  readonly bends?: readonly ModelBend[] | undefined
  /** Of its thinking; empty where its client states none. Undefined where nothing thinks. */
  readonly effort?: string | undefined
  /** The most tokens, of input and output, that the request can use. */
  readonly tokens: number
}

/** Whom a budget bounds: a `user`, a `token`, or a kind that a feature declares. */
export interface BudgetSubject {
  readonly kind: string
  readonly id: number
}

/** What a request takes of a budget, in the budget's own unit. */
export interface BudgetShare {
  readonly budgetId: number
  /** Unix seconds: the beginning of the window in which the use counts, however long it lasts. */
  readonly window: number
  readonly unit: 'quota' | 'tokens' | 'requests' | 'savings'
  /** That of `quota` is the amount of the hold; that of `savings`, of a budget that only replaced the model, is 0. */
  readonly amount: number
  /** Undefined for a budget that only counts. */
  readonly bound?: BudgetBound | undefined
  /** A part of the budget, beyond which a hold is not opened for this model. */
  readonly bend?: (BudgetBound & { readonly percent: number }) | undefined
}

/** Windows that begin at `since` or later count towards the limit. */
type BudgetBound = { readonly since: number; reject(found: BudgetExcess): GatewayError }

/** Why a budget rejects a hold, in its unit. `taken`: what all windows that count have used and hold. */
export interface BudgetExcess extends Readonly<Record<'limit' | 'taken' | 'needed', number>> {
  /** Unix seconds at which the first of them begins that has used or holds anything. Undefined: none has. */
  readonly oldest: number | undefined
}

/** How many holds may be open at once, this one included; 0 for no limit. */
export interface ConcurrencyLimits {
  readonly user: number
  readonly token: number
}

/** Reserved money. Settle or release it exactly once; a repeat does nothing. */
export interface Hold extends HoldRequest {
  /** Wallet or token had less than the amount when the hold was granted. */
  readonly isShort?: true
  /** The hold belongs to a stored task, which retries its closing until it succeeds: the queue must not release it. */
  readonly belongsToTask?: true
}

/** The content of a request's log row. The ids of user, token and request come from the hold. */
export interface LogEntry {
  readonly username: string
  readonly tokenName: string
  readonly modelName: string
  /** 0 when no channel was reached. */
  readonly channelId: number
  readonly group: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly useTimeSeconds: number
  readonly isStream: boolean
  readonly content: string
}

/** Stored as JSON text beside the log row: everything that is needed to verify the amount. */
export type LogReceipt = { readonly [name: string]: unknown }

/** The price of a served request. */
export interface Bill {
  readonly amount: Quota
  readonly entry: LogEntry
  readonly receipt: LogReceipt
}

/** The receipt of a failed request, with the status and the code that its client received. */
export type FailureReceipt = LogReceipt & { readonly status?: number; readonly code?: string }

/** A failed request that gets a log row (type 5, quota 0). */
export interface FailedRequestLog {
  /** False: only the totals of the hour are written. */
  readonly isRowLogged?: boolean
  readonly entry: LogEntry
  readonly receipt: FailureReceipt
}

/** One change of the ledger. Commands that arrive together are written in one transaction. */
export type LedgerCommand = OpenCommand | CloseCommand
export type OpenCommand = ReserveCommand | ExtendCommand
export type CloseCommand = SettleCommand | ReleaseCommand

export interface ReserveCommand {
  readonly kind: 'reserve'
  readonly hold: HoldRequest
}

export interface ExtendCommand {
  readonly kind: 'extend'
  readonly hold: Hold
  readonly by: Quota
}

export interface SettleCommand {
  readonly kind: 'settle'
  readonly hold: Hold
  readonly bill: Bill
}

export interface ReleaseCommand {
  readonly kind: 'release'
  readonly hold: Hold
  readonly failure?: FailedRequestLog
}
