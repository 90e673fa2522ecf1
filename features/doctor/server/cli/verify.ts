import { readConfig } from '#server/config/config.ts'
import { isMigrated, openDatabase } from '#server/db/engine/database.ts'
import type { CommandContext } from '#server/feature.ts'
import { auditLedger, renderAuditReport } from '#server/ledger/audit.ts'

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
