import { addQuota, type Quota } from '../core/money.ts'
import { commit, type LedgerDeps } from './commit.ts'
import type { Bill, FailedRequest, Hold, HoldRequest } from './ledger-command.ts'
import { LedgerQueue } from './queue.ts'
import { withRetries } from './with-retries.ts'

export type { Bill, FailedRequest, Hold, HoldRequest, LogEntry, Receipt } from './ledger-command.ts'

/** The only door to money while requests run. Every promise resolves after its change is durable. */
export interface Ledger {
  /**
   * Reserves the amount on the wallet and, for a limited token, on the token: both or none.
   * Throws GatewayError too_many_requests, insufficient_user_quota, insufficient_token_quota or storage_failed.
   */
  reserve(wish: HoldRequest): Promise<Hold>
  /** Reserves more for an open hold. Undefined when wallet or token cannot afford it, or the hold is closed. */
  extend(hold: Hold, by: Quota): Promise<Hold | undefined>
  /**
   * Charges the bill, gives the rest of the hold back and writes the log row, all in one transaction. A second call
   * finds the hold closed and changes nothing. Throws storage_failed after several attempts.
   */
  settle(hold: Hold, bill: Bill): Promise<unknown>
  /** Gives the whole hold back; with `failure`, writes a log row of type 5 beside it. A second call changes nothing. */
  release(hold: Hold, failure?: FailedRequest): Promise<unknown>
  /** Whether what was last to be written could not be: the storage takes no writes, or not that one. */
  isFailing(): boolean
  /** Takes no new holds and resolves when everything asked for is written. */
  close(): Promise<void>
}

export function openLedger(books: LedgerDeps): Ledger {
  const queue = new LedgerQueue({
    commit: movements => withRetries(() => commit(books, movements)),
    log: books.log,
  })
  return {
    reserve: wish => queue.reserve(wish),
    async extend(hold, by) {
      const refusal = await queue.submit({ kind: 'extend', hold, by })
      return refusal ? undefined : { ...hold, amount: addQuota(hold.amount, by) }
    },
    settle: (hold, bill) => queue.submit({ kind: 'settle', hold, bill }),
    release: (hold, failure) =>
      queue.submit(failure ? { kind: 'release', hold, failure } : { kind: 'release', hold }),
    isFailing: () => queue.isFailing(),
    close: () => queue.close(),
  }
}
