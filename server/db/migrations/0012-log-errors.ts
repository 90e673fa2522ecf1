import { type Kysely, sql } from 'kysely'
import type { Engine, Migration } from './migration.ts'

/** A receipt is read for each failed row: one statement for all rows would keep too many of them in memory. */
const IDS_AT_ONCE = 200_000
const FAILURE = 5

/**
 * The status and code of a failed request in its log row, and an index of failed requests only, so that successful ones
 * cost as much as before.
 */
export const logErrors: Migration = {
  name: '0012-log-errors',
  async up(db, engine) {
    await db.schema
      .alterTable('logs')
      .addColumn('error', 'text', c => c.notNull().defaultTo(''))
      .execute()
    await fillErrors(db, engine)
    await sql`create index logs_errors on logs (created_at, id, error, channel_id, model_name, user_id)
      where type = ${sql.lit(FAILURE)}`.execute(db)
  },
}

/** Receipts name both since they exist; a row without a receipt keeps an empty error. */
async function fillErrors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rows } = await sql<{
    newest: number | null
    oldest: number | null
  }>`select max(id) as newest, min(id) as oldest from logs`.execute(db)
  const [{ newest, oldest } = { newest: null, oldest: null }] = rows
  if (newest === null || oldest === null) return
  for (let first = Number(oldest); first <= Number(newest); first += IDS_AT_ONCE)
    await sql`update logs set error = coalesce(${ERRORS[engine]}, '') from receipts
      where receipts.log_id = logs.id and logs.type = ${sql.lit(FAILURE)}
        and logs.id >= ${first} and logs.id < ${first + IDS_AT_ONCE}`.execute(db)
}

/** A receipt is JSON text. PostgreSQL refuses to parse it when a vendor's text contains an escaped NUL. */
const ERRORS = {
  sqlite: sql`json_extract(body, '$.status') || ' ' || json_extract(body, '$.code')`,
  postgres: sql`substring(body from '"status":([0-9]+),"code":"') || ' ' ||
    substring(body from '"status":[0-9]+,"code":"([^"\\\\]*)"')`,
} as const
