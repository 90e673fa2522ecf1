import type { Generated } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

export interface TopUpTable {
  id: Generated<number>
  user_id: number
  trade_no: string
  /** Units credited when paid. */
  quota: number
  /** The price in hundredths of the payment currency. */
  money_cents: number
  payment_method: string
  status: string
  created_at: number
  completed_at: Generated<number>
  /** JSON list of {at, event, detail}. */
  timeline: Generated<string>
}

/** A type, since an interface does not join the tables of the base. */
type TopUpTables = { top_ups: TopUpTable }

export const withTopUpTables = (db: Database) => db.withTables<TopUpTables>()
