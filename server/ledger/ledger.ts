import type { Quota } from '../kernel/money.ts'
import type { Bill, FailedRequest, Hold, HoldWish } from './hold.ts'

export type { Bill, FailedRequest, Hold, HoldWish, LogEntry, Receipt } from './hold.ts'

/** The only door to money while requests run. Every promise resolves after its change is durable. */
export interface Ledger {
  /**
   * Reserves the amount on the wallet and, for a limited token, on the token: both or none.
   * Throws GatewayError insufficient_user_quota, insufficient_token_quota or storage_failed.
   */
  reserve(wish: HoldWish): Promise<Hold>
  /** Reserves more for an open hold. Undefined when wallet or token cannot afford it, or the hold is closed. */
  extend(hold: Hold, by: Quota): Promise<Hold | undefined>
  /** Charges the bill, gives the rest of the hold back and writes the log row, all in one transaction. */
  settle(hold: Hold, bill: Bill): Promise<void>
  /** Gives the whole hold back; with `failure`, writes a log row of type 5 beside it. */
  release(hold: Hold, failure?: FailedRequest): Promise<void>
  /** Writes what is still waiting. Nothing may be asked of the ledger afterwards. */
  close(): Promise<void>
}
