import type { Quota } from '../../core/money.ts'
import type { TaskRow } from '../../db/system/tasks.ts'
import type { LogEntry } from '../../ledger/ledger.ts'
import type { Charge, Price } from '../../ledger/pricing/price.ts'
import type { toReceiptAttempt } from '../billing/receipt.ts'

/** What is known at submission of who does a task and how it will be charged: kept with it, so that any process can close it. */
export interface StoredBill {
  /** Which of its channel's keys submitted it. */
  readonly keyMark: string
  readonly tokenId: number | null
  readonly isTokenLimited: boolean
  readonly amount: Quota
  readonly entry: LogEntry
  readonly priced: {
    readonly price: Price['figures']
    readonly lines: Charge['lines']
    readonly exact: string
    readonly hold: number
  }
  readonly attempts: readonly ReturnType<typeof toReceiptAttempt>[]
}

/** Only ever reads what the submission wrote. */
export const readBill = (row: Pick<TaskRow, 'bill'>): StoredBill => JSON.parse(row.bill) as StoredBill
