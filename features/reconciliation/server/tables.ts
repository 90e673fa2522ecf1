import type { Generated } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

/** A provider's bill that was compared with the computed costs. */
export interface ReconciliationTable {
  id: Generated<number>
  created_at: number
  user_id: number
  /** JSON: names of the files. */
  files: string
  /** JSON: id and name of each channel. */
  channels: string
  /** Unix seconds: first, and first after the period. */
  start_time: number
  end_time: number
  /** Billionths of a dollar; null where the files state no amounts. */
  billed_nanos: number | null
  computed_nanos: number
  /** JSON: the comparison by model and day, and the causes with their figures. */
  body: string
}

/** Balance of a provider account at the time of the query. */
export interface BalanceReadingTable {
  id: Generated<number>
  channel_id: number
  created_at: number
  /** In the currency. */
  balance: number
  /** ISO 4217. */
  currency: string
}

/** A type, since an interface does not join the tables of the base. */
export type ReconciliationTables = {
  reconciliations: ReconciliationTable
  balance_readings: BalanceReadingTable
}

/** The database with the tables of this feature. */
export const withReconciliationTables = (db: Database) => db.withTables<ReconciliationTables>()
