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

const LABEL_WIDTH = 22

/** What features add: differences found, and lines about them. */
interface FurtherReport {
  readonly drift: number
  readonly counts?: Readonly<Record<string, number>>
  readonly lines: readonly string[]
}

/** All reports as text for a terminal. */
export function renderAuditReport(ledger: AuditReport, further: readonly FurtherReport[] = []): string {
  const { findings, requests, counts } = ledger
  const drift = further.reduce((sum, report) => sum + report.drift, ledger.drift)
  const figures: [string, number][] = [
    ['users', counts.users],
    ['tokens', counts.tokens],
    ['channels', counts.channels],
    ['postings', counts.postings],
    ['charges', counts.charges],
    ['without a log row', counts.unloggedCharges],
    ['open holds', counts.openHolds],
    ['wallets below zero', counts.walletsBelowZero],
    ...further.flatMap(report => Object.entries(report.counts ?? {})),
    ['drift', drift],
  ]
  return [
    ...figures.map(([name, value]) => `${name.padEnd(LABEL_WIDTH)}${value}`),
    ...findings.map(
      ({ balance, owner, found, expected }) => `${balance} of ${owner} is ${found}, must be ${expected}`,
    ),
    ...requests.map(
      ({ requestId, charges, logs, units }) =>
        `request ${requestId} has ${charges} charges and ${logs} log rows, ${units} units apart`,
    ),
    ...further.flatMap(({ lines }) => lines),
    drift === 0 ? 'The books balance.' : 'The books do not balance.',
  ].join('\n')
}
