import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

/** Writes a SQLite file anew, without the space of deleted rows, and empties its journal. */
export async function rewriteFile(db: Database): Promise<void> {
  await sql`vacuum`.execute(db)
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
}
