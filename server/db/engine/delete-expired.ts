import { sql } from 'kysely'
import type { Database } from './database.ts'

const ROWS_AT_ONCE = 100

/** A table whose rows live until `expires_at`. */
interface ExpiringTable {
  readonly table: string
  /** Its primary key. */
  readonly key: string
}

/** Deletes the rows whose time is over, in small steps, so that no request waits for them. */
export async function deleteExpired(
  db: Database,
  { table, key: column }: ExpiringTable,
  nowSeconds: number,
): Promise<void> {
  const [from, key] = [sql.table(table), sql.ref(column)]
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from ${from} where ${key} in
      (select ${key} from ${from} where expires_at <= ${nowSeconds} limit ${ROWS_AT_ONCE})`.execute(db)
    if (numAffectedRows < ROWS_AT_ONCE) return
  }
}
