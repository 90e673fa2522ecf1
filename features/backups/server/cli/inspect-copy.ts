import { statSync } from 'node:fs'
import { listMigrations, type OpenDatabase } from '#server/db/engine/database.ts'
import { inspectDatabase } from '#server/db/engine/inspect.ts'
import { type AuditReport, auditLedger } from '#server/ledger/audit.ts'

const MIB = 2 ** 20

/** Contents of a backup. */
export interface InspectedCopy {
  /** Undefined: this version cannot recompute the balances of an earlier version's schema. */
  readonly counts: AuditReport['counts'] | undefined
  readonly drift: number
}

/** Recomputes the balances of a backup. Throws when it is no database of Tollgate, or one of a newer version. */
export async function inspectCopy(copy: OpenDatabase): Promise<InspectedCopy> {
  const { applied, pending } = await listMigrations(copy)
  if (applied.length === 0) throw new Error('the file is no database of Tollgate')
  const { unknown } = await inspectDatabase(copy)
  if (unknown.length > 0)
    throw new Error(`a newer version made the database (${unknown.join(', ')}): install it first`)
  if (pending.length > 0) return { counts: undefined, drift: 0 }
  const { counts, drift } = await auditLedger(copy.db)
  return { counts, drift }
}

export function renderCopy(path: string, { counts, drift }: InspectedCopy): string {
  const size = `${(statSync(path).size / MIB).toFixed(1)} MiB`
  if (counts === undefined) return `${path}, ${size}: intact, with the schema of an earlier version`
  const audit =
    drift === 0
      ? 'the books balance'
      : `the books are ${drift} units apart, as in the database itself: run tollgate verify`
  return `${path}, ${size}: intact, ${counts.users} users, ${counts.tokens} tokens, ${counts.channels} channels, ${counts.postings} postings; ${audit}`
}
