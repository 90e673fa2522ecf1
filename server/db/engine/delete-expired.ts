import { sql } from 'kysely'
import type { Database } from './database.ts'

const ROWS_AT_ONCE = 100

/** The tables whose rows live for a time, with their primary keys. */
const KEYS = {
  account_handles: 'handle',
  background_responses: 'id',
  conversations: 'id',
  stored_responses: 'id',
} as const

/** Deletes the rows whose time is over, in small steps, so that no request waits for them. */
export async function deleteExpired(
  db: Database,
  table: keyof typeof KEYS,
  nowSeconds: number,
): Promise<void> {
  const [from, key] = [sql.table(table), sql.ref(KEYS[table])]
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from ${from} where ${key} in
      (select ${key} from ${from} where expires_at <= ${nowSeconds} limit ${ROWS_AT_ONCE})`.execute(db)
    if (numAffectedRows < ROWS_AT_ONCE) return
  }
}
