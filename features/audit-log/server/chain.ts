import type { Secrets } from '#server/core/crypto.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { type AuditEndTable, type AuditLogTable, withAuditTables } from './tables.ts'

const ROW_PURPOSE = 'audit-row'
const END_PURPOSE = 'audit-end'
/** More rows would exceed the parameters of a statement. */
const TARGETS_AT_ONCE = 300

export type AuditEntry = Omit<AuditLogTable, 'id' | 'hash'>
type Hash = Pick<Secrets, 'hash'>

/** The hash of a row depends on its place, on all of its columns and on the row before it. */
export function hashRow(row: Omit<AuditLogTable, 'hash'>, previousHash: string, { hash }: Hash): string {
  const { id, created_at, actor_id, actor_name, credential, address, request_id, action, kind, code } = row
  const numbers = [id, created_at, actor_id].map(Number)
  const texts = [actor_name, credential, address, request_id, action, kind, code, row.details]
  return hash(ROW_PURPOSE, JSON.stringify([previousHash, ...numbers, ...texts]))
}

export const proofOf = (end: Omit<AuditEndTable, 'proof'>, { hash }: Hash): string =>
  hash(END_PURPOSE, JSON.stringify([end.name, Number(end.audit_id), end.hash]))

/** Adds a row to the end of the chain. Others wait for its lock, so that rows have an order in all processes. */
export async function appendRow(
  db: Database,
  entry: AuditEntry,
  targets: readonly string[],
  secrets: Hash,
): Promise<void> {
  await inTransaction(db, async tx => {
    const tables = withAuditTables(tx)
    const last = await tables
      .updateTable('audit_ends')
      .set(end => ({ audit_id: end('audit_id', '+', 1) }))
      .where('name', '=', 'last')
      .returning(['audit_id', 'hash'])
      .executeTakeFirstOrThrow()
    const id = Number(last.audit_id)
    const row = { ...entry, id }
    const hash = hashRow(row, last.hash, secrets)
    await tables
      .insertInto('audit_log')
      .values({ ...row, hash })
      .execute()
    await moveEnd(tx, { name: 'last', audit_id: id, hash }, secrets)
    for (let from = 0; from < targets.length; from += TARGETS_AT_ONCE) {
      const rows = targets
        .slice(from, from + TARGETS_AT_ONCE)
        .map(target => ({ kind: entry.kind, target, audit_id: id }))
      await tables.insertInto('audit_targets').values(rows).execute()
    }
  })
}

export async function moveEnd(
  tx: Database,
  { name, ...end }: Omit<AuditEndTable, 'proof'>,
  secrets: Hash,
): Promise<void> {
  await withAuditTables(tx)
    .updateTable('audit_ends')
    .set({ ...end, proof: proofOf({ name, ...end }, secrets) })
    .where('name', '=', name)
    .execute()
}
