import type { Generated } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

/** A difference that the last feed shows. */
export interface PriceProposalTable {
  model: string
  /** `priced`: the feed names a price. `retired`, `renamed` and `missing` only inform. */
  status: string
  /** JSON: kind and price list of a priced model; the successor of another. */
  body: string
}

/** A model that is not proposed again. */
export interface PricePinTable {
  model: string
  user_id: number
  created_at: number
}

/** `reading`: the last feed that was read. `daily`: the last time that the daily feed was fetched. */
export interface PriceSyncTable {
  name: string
  created_at: number
  source: string
  /** JSON: the findings of `reading`; for `daily` a fingerprint of the reported differences. */
  body: string
}

/** An approved price of one model. */
export interface PriceChangeTable {
  id: Generated<number>
  /** Shared by models that were approved together. */
  batch: string
  model: string
  source: string
  /** `scheduled`, `applied`, `undone`, `cancelled` or `failed`. */
  status: string
  user_id: number
  created_at: number
  effective_at: number
  /** 0 until it is applied. */
  applied_at: number
  /** When it was undone or cancelled, and by whom; 0: neither. */
  ended_at: number
  ended_by: number
  /** JSON: kind and price list. */
  proposal: string
  /** JSON: the entries of the model in the options; empty until it is applied. */
  before: string
  after: string
}

/** A type, since an interface does not join the tables of the base. */
export type PriceUpdateTables = {
  price_proposals: PriceProposalTable
  price_pins: PricePinTable
  price_syncs: PriceSyncTable
  price_changes: PriceChangeTable
}

/** The database with the tables of this feature. */
export const withPriceTables = (db: Database) => db.withTables<PriceUpdateTables>()
