import type { Quota } from '../core/money.ts'

/** What a request wants to have reserved before its first upstream byte. */
export interface HoldRequest {
  readonly requestId: string
  readonly userId: number
  /** Null where no token is involved: the playground, a channel test. */
  readonly tokenId: number | null
  /** The token has a limit of its own, which moves together with the wallet. */
  readonly isTokenLimited: boolean
  /** Zero for a free model only: such a hold is granted with an empty wallet too. */
  readonly amount: Quota
  /** Absent: as many at once as come. */
  readonly limits?: ConcurrencyLimits
}

/** How many holds may be open at once, this one included; 0: no limit. */
export interface ConcurrencyLimits {
  readonly user: number
  readonly token: number
}

/** Reserved money. It must be settled or released exactly once; a repeat does nothing. */
export interface Hold extends HoldRequest {
  /** It belongs to a stored task, which is closed again and again until that is done: nobody else gives it back. */
  readonly belongsToTask?: true
}

/** What a log row says about a request. The ids of user, token and request come from the hold. */
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

/** Stored as JSON text beside the log row: whatever lets a reader do the sum again. */
export type Receipt = { readonly [name: string]: unknown }

/** What a served request costs. */
export interface Bill {
  readonly amount: Quota
  readonly entry: LogEntry
  readonly receipt: Receipt
}

/** A failed request that shall have a log row (type 5, quota 0). */
export interface FailedRequest {
  readonly entry: LogEntry
  readonly receipt: Receipt
}

/** One thing asked of the books. Those that arrive together are written in one transaction. */
export type LedgerCommand = ReserveCommand | ExtendCommand | SettleCommand | ReleaseCommand

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
  readonly failure?: FailedRequest
}

export const opensFunds = (movement: LedgerCommand): movement is ReserveCommand | ExtendCommand =>
  movement.kind === 'reserve' || movement.kind === 'extend'
