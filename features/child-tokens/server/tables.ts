import type { Generated } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

interface ChildTokenTable {
  token_id: number
  parent_id: number
  /** Units of the parent's limit that the child was given; 0 where the parent has none. */
  taken: number
  /** Unix seconds at which the rest went back; 0: not yet. */
  ended_at: Generated<number>
}

/** A type, since an interface does not join the tables of the base. */
export type ChildTables = { child_tokens: ChildTokenTable }

/** The database with the tables of this feature. */
export const withChildTables = (db: Database) => db.withTables<ChildTables>()
