import {
  type BalanceDifference,
  countLedgerRows,
  countUnloggedCharges,
  findChannelDifferences,
  findChargeHourDifferences,
  findHoldDifferences,
  findOrphanedTaskHolds,
  findTokenDifferences,
  findUsageDifferences,
  findUserDifferences,
  inSnapshot,
  type LedgerCounts,
  listRequestDifferences,
  type RequestDifference,
} from '../db/billing/audit.ts'
import type { Database } from '../db/engine/database.ts'

/** The differences between stored balances and those recomputed from the postings. */
export interface AuditReport {
  /** The sum of absolute differences, in units or counts. 0: the books balance. */
  readonly drift: number
  /** The first differences of each kind. */
  readonly findings: readonly BalanceDifference[]
  /** Requests whose charges and consumption log rows do not match one to one. Their number is part of the drift. */
  readonly requests: readonly RequestDifference[]
  readonly counts: LedgerCounts & {
    /** Not part of the drift: consumption logging was off, or old log rows were deleted. */
    readonly unloggedCharges: number
  }
}

const REQUESTS_SHOWN_MAX = 100

/** Recomputes every balance from the postings in one snapshot, without blocking writers. */
export function auditLedger(db: Database): Promise<AuditReport> {
  return inSnapshot(db, async tx => {
    const differences = [
      await findUserDifferences(tx),
      await findTokenDifferences(tx),
      await findChannelDifferences(tx),
      await findHoldDifferences(tx),
      await findOrphanedTaskHolds(tx),
      await findUsageDifferences(tx),
      await findChargeHourDifferences(tx),
    ]
    const requests = await listRequestDifferences(tx, REQUESTS_SHOWN_MAX)
    return {
      drift: differences.reduce((sum, { units }) => sum + units, requests.length),
      findings: differences.flatMap(({ first }) => first),
      requests,
      counts: { ...(await countLedgerRows(tx)), unloggedCharges: await countUnloggedCharges(tx) },
    }
  })
}
