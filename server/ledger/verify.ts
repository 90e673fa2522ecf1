import {
  type BookCounts,
  countBooks,
  countUnloggedCharges,
  type Difference,
  findChannelDifferences,
  findForgottenHolds,
  findHoldDifferences,
  findTokenDifferences,
  findUsageDifferences,
  findUserDifferences,
  listRequestDifferences,
  type RequestDifference,
  readBooks,
} from '../db/books.ts'
import type { Database } from '../db/database.ts'

/** What the books say when every balance is computed again from the postings. */
export interface VerifyReport {
  /** Units (or counts) by which balances differ, added up without sign. 0: the books balance. */
  readonly drift: number
  /** The first differences of each kind. */
  readonly findings: readonly Difference[]
  /** Charges and consumption log rows that do not belong together one to one. Their number is part of the drift. */
  readonly requests: readonly RequestDifference[]
  readonly counts: BookCounts & {
    /** Charges without a log row: consumption logging was off, or old rows were deleted. No drift. */
    readonly unloggedCharges: number
  }
}

const REQUESTS_SHOWN_MAX = 100

/** Recomputes everything from the postings, as of one moment, without keeping a writer waiting. */
export function verify(db: Database): Promise<VerifyReport> {
  return readBooks(db, async tx => {
    const kinds = [
      await findUserDifferences(tx),
      await findTokenDifferences(tx),
      await findChannelDifferences(tx),
      await findHoldDifferences(tx),
      await findForgottenHolds(tx),
      await findUsageDifferences(tx),
    ]
    const requests = await listRequestDifferences(tx, REQUESTS_SHOWN_MAX)
    return {
      drift: kinds.reduce((sum, kind) => sum + kind.units, requests.length),
      findings: kinds.flatMap(kind => kind.first),
      requests,
      counts: { ...(await countBooks(tx)), unloggedCharges: await countUnloggedCharges(tx) },
    }
  })
}

const WIDTH = 22

/** The report as text for a terminal. */
export function renderReport({ drift, findings, requests, counts }: VerifyReport): string {
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
