import { sql } from 'kysely'
import type { AuditedRecord } from '#contract/audited-records.ts'
import type { ChangedRows } from '#contract/endpoint.ts'
import type { Database } from '#server/db/engine/database.ts'
import { contains } from '#server/db/engine/text.ts'
import type { AuditFilter } from '../contract/audit-log.ts'
import { type AuditEndTable, type AuditLogTable, withAuditTables } from './tables.ts'

interface AuditPage {
  readonly offset?: number
  readonly limit: number
  /** Only rows older than this one. */
  readonly beforeId?: number
}

/** Newest first. */
export const listAuditRows = (
  db: Database,
  filter: AuditFilter,
  { offset = 0, limit, beforeId = Number.MAX_SAFE_INTEGER }: AuditPage,
): Promise<AuditLogTable[]> =>
  matching(db, filter)
    .where('id', '<', beforeId)
    .selectAll()
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countAuditRows(db: Database, filter: AuditFilter): Promise<number> {
  const { total } = await matching(db, filter)
    .select(row => row.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

function matching(db: Database, filter: AuditFilter) {
  const { actor, kind, target, action, search, start_timestamp: start, end_timestamp: end } = filter
  const log = withAuditTables(db)
  return log
    .selectFrom('audit_log')
    .$if(kind !== '', found => found.where('kind', '=', kind))
    .$if(start > 0, found => found.where('created_at', '>=', start))
    .$if(end > 0, found => found.where('created_at', '<=', end))
    .$if(action !== '', found => found.where(row => contains(row.ref('action'), action)))
    .$if(search !== '', found => found.where(row => contains(row.ref('details'), search)))
    .$if(actor !== '', found =>
      found.where(row =>
        row.or([
          row('actor_name', '=', actor),
          ...(/^\d{1,15}$/.test(actor) ? [row('actor_id', '=', Number(actor))] : []),
        ]),
      ),
    )
    .$if(target !== '', found =>
      found.where(
        'id',
        'in',
        log
          .selectFrom('audit_targets')
          .select('audit_id')
          .where('kind', '=', kind)
          .where('target', '=', target),
      ),
    )
}

/** Oldest first, after the given row. */
export const listAuditRowsAfter = (db: Database, id: number, limit: number): Promise<AuditLogTable[]> =>
  withAuditTables(db)
    .selectFrom('audit_log')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()

export const listEnds = (db: Database): Promise<AuditEndTable[]> =>
  withAuditTables(db).selectFrom('audit_ends').selectAll().execute()

/** The newest row from before the time, at most `most` rows after the given one. */
export const findLastBefore = (
  db: Database,
  { afterId, most, time }: { readonly afterId: number; readonly most: number; readonly time: number },
): Promise<AuditLogTable | undefined> =>
  withAuditTables(db)
    .selectFrom('audit_log')
    .selectAll()
    .where('id', '<=', afterId + most)
    .where('created_at', '<', time)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

export async function deleteRowsUntil(tx: Database, id: number): Promise<void> {
  await withAuditTables(tx).deleteFrom('audit_targets').where('audit_id', '<=', id).execute()
  await withAuditTables(tx).deleteFrom('audit_log').where('id', '<=', id).execute()
}

export type ShownFields = Readonly<Record<string, unknown>>
/** The largest batch of ids. Of larger ones by a filter, the log shows the first. */
const RECORDS_MAX = 1000

/** The named columns of records that match by any of the values. */
export async function selectRecords(
  db: Database,
  { table, key, columns, secrets, counters, createdAt = key }: AuditedRecord,
  rows: ChangedRows,
): Promise<readonly ShownFields[]> {
  const conditions = Object.entries(rows).flatMap(([column, values]) => {
    const sought = values.filter(value => value !== '').slice(0, RECORDS_MAX)
    return sought.length === 0 ? [] : [sql`${sql.ref(column)} in (${sql.join(sought)})`]
  })
  if (conditions.length === 0) return []
  const names = [...new Set([key, ...columns, ...secrets, ...counters, createdAt])].map(name => sql.ref(name))
  const { rows: found } = await sql<ShownFields>`select ${sql.join(names)} from ${sql.table(table)}
    where ${sql.join(conditions, sql` or `)} order by ${sql.ref(key)} limit ${RECORDS_MAX}`.execute(db)
  return found
}
