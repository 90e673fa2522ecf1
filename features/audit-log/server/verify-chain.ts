import { createSecrets, type Secrets } from '#server/core/crypto.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Proof, VerifyContext } from '#server/feature.ts'
import { hashRow, proofOf } from './chain.ts'
import { listAuditRowsAfter, listEnds } from './queries.ts'
import type { AuditEndTable, AuditLogTable } from './tables.ts'

const BATCH_ROWS = 1000
const SHOWN_MAX = 100

/** Recomputes the chain, and names every row that was changed, removed, reordered or inserted. */
export async function verifyAuditLog({ database, config }: VerifyContext): Promise<Proof> {
  const findings = await findBreaks(database.db, createSecrets(config.secretKey))
  return {
    drift: findings.length,
    lines: findings.slice(0, SHOWN_MAX).map(finding => `audit log: ${finding}`),
  }
}

async function findBreaks(db: Database, secrets: Secrets): Promise<readonly string[]> {
  const ends = new Map((await listEnds(db)).map(end => [end.name, end]))
  const [first, last] = [ends.get('first'), ends.get('last')]
  if (!first || !last) return ['its ends were removed']
  const findings = [first, last]
    .filter(end => !isProven(end, secrets))
    .map(({ name }) => `its ${name} end was moved`)
  let previous = { id: Number(first.audit_id), hash: first.hash }
  for (;;) {
    const rows = await listAuditRowsAfter(db, previous.id, BATCH_ROWS)
    for (const row of rows) {
      findings.push(...breaksOf(row, previous, { lastId: Number(last.audit_id), secrets }))
      previous = { id: Number(row.id), hash: row.hash }
    }
    if (rows.length < BATCH_ROWS) break
  }
  if (previous.id < Number(last.audit_id))
    findings.push(`${rowsText(previous.id + 1, Number(last.audit_id))} removed`)
  return findings
}

const isProven = (end: AuditEndTable, secrets: Secrets): boolean =>
  Number(end.audit_id) === 0 ? end.hash === '' : end.proof === proofOf(end, secrets)

/** Behind a gap the hash of the removed row is unknown, so that only the row after the next one proves anything. */
function breaksOf(
  row: AuditLogTable,
  previous: { readonly id: number; readonly hash: string },
  { lastId, secrets }: { readonly lastId: number; readonly secrets: Secrets },
): readonly string[] {
  const id = Number(row.id)
  if (id > lastId) return [`row ${id} was inserted`]
  if (id > previous.id + 1) return [`${rowsText(previous.id + 1, id - 1)} removed`]
  return row.hash === hashRow(row, previous.hash, secrets) ? [] : [`row ${id} was changed, moved or inserted`]
}

const rowsText = (from: number, to: number): string =>
  from === to ? `row ${from} was` : `rows ${from} to ${to} were`
