import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

/** Whether the database responds to a query. */
export async function isReachable(db: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(db)
    return true
  } catch {
    return false
  }
}
