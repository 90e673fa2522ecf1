import {
  type BalanceDifference,
  countLedgerRows,
  countUnloggedCharges,
  findChannelDifferences,
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

/** What the books say when every balance is computed again from the postings. */
export interface AuditReport {
  /** Units (or counts) by which balances differ, added up without sign. 0: the books balance. */
  readonly drift: number
  /** The first differences of each kind. */
  readonly findings: readonly BalanceDifference[]
  /** Charges and consumption log rows that do not belong together one to one. Their number is part of the drift. */
  readonly requests: readonly RequestDifference[]
  readonly counts: LedgerCounts & {
    /** Charges without a log row: consumption logging was off, or old rows were deleted. No drift. */
    readonly unloggedCharges: number
  }
}

const REQUESTS_SHOWN_MAX = 100

/** Recomputes everything from the postings, as of one moment, without keeping a writer waiting. */
export function auditLedger(db: Database): Promise<AuditReport> {
  return inSnapshot(db, async tx => {
    const kinds = [
      await findUserDifferences(tx),
      await findTokenDifferences(tx),
      await findChannelDifferences(tx),
      await findHoldDifferences(tx),
      await findOrphanedTaskHolds(tx),
      await findUsageDifferences(tx),
    ]
    const requests = await listRequestDifferences(tx, REQUESTS_SHOWN_MAX)
    return {
      drift: kinds.reduce((sum, kind) => sum + kind.units, requests.length),
      findings: kinds.flatMap(kind => kind.first),
      requests,
      counts: { ...(await countLedgerRows(tx)), unloggedCharges: await countUnloggedCharges(tx) },
    }
  })
}

const WIDTH = 22

/** The report as text for a terminal. */
export function renderAuditReport({ drift, findings, requests, counts }: AuditReport): string {
  const figures: [string, number][] = [
    ['users', counts.users],
    ['tokens', counts.tokens],
    ['channels', counts.channels],
    ['postings', counts.postings],
    ['charges', counts.charges],
    ['without a log row', counts.unloggedCharges],
    ['open holds', counts.openHolds],
    ['wallets below zero', counts.walletsBelowZero],
    ['drift', drift],
  ]
  return [
    ...figures.map(([name, value]) => `${name.padEnd(WIDTH)}${value}`),
    ...findings.map(
      ({ balance, owner, found, expected }) => `${balance} of ${owner} is ${found}, must be ${expected}`,
    ),
    ...requests.map(
      ({ requestId, charges, logs, units }) =>
        `request ${requestId} has ${charges} charges and ${logs} log rows, ${units} units apart`,
    ),
    drift === 0 ? 'The books balance.' : 'The books do not balance.',
  ].join('\n')
}
