import { readConfig } from '#server/config/config.ts'
import { isMigrated, openDatabase } from '#server/db/engine/database.ts'
import type { CommandContext, Proof } from '#server/feature.ts'
import { type AuditReport, auditLedger } from '#server/ledger/audit.ts'

/**
 * `tollgate verify`: recomputes every balance from the postings, asks features for their proofs, and prints what differs. It may
 * run beside the gateway.
 * Returns the exit code: 0 when the drift is 0.
 */
export async function verify({ migrations, features }: CommandContext): Promise<number> {
  const config = readConfig()
  const { databaseUrl, durability } = config
  const database = openDatabase({ url: databaseUrl, durability }, migrations)
  try {
    if (!(await isMigrated(database)))
      throw new Error('the database is empty or has the schema of another version: start the gateway once')
    const ledger = await auditLedger(database.db)
    const proofs = await Promise.all(
      [...features.values()].flatMap(feature => feature.verify?.({ database, config }) ?? []),
    )
    process.stdout.write(`${renderAuditReport(ledger, proofs)}\n`)
    return [ledger, ...proofs].every(({ drift }) => drift === 0) ? 0 : 1
  } finally {
    await database.close()
  }
}

const LABEL_WIDTH = 22

/** All reports as text for a terminal. */
export function renderAuditReport(ledger: AuditReport, proofs: readonly Proof[]): string {
  const { findings, requests, counts } = ledger
  const drift = proofs.reduce((sum, report) => sum + report.drift, ledger.drift)
  const figures: [string, number][] = [
    ['users', counts.users],
    ['tokens', counts.tokens],
    ['channels', counts.channels],
    ['postings', counts.postings],
    ['charges', counts.charges],
    ['without a log row', counts.unloggedCharges],
    ['open holds', counts.openHolds],
    ['wallets below zero', counts.walletsBelowZero],
    ...proofs.flatMap(report => Object.entries(report.counts ?? {})),
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
    ...proofs.flatMap(({ lines }) => lines),
    drift === 0 ? 'The books balance.' : 'The books do not balance.',
  ].join('\n')
}
