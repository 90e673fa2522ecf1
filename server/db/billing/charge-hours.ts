import { bulkInsert } from '../engine/bulk.ts'
import type { ChargeHourTable } from '../engine/ledger-tables.ts'

export type ChargeHourRow = Readonly<ChargeHourTable>

/**
 * Adds to the rows of hours, or inserts them. Pass each user at most once, sorted, so that all processes lock rows in the
 * same order.
 */
export const addToChargeHours = bulkInsert(
  'charge_hours',
  ['user_id', 'hour', 'amount', 'count'],
  `on conflict ("user_id", "hour") do update set amount = charge_hours.amount + excluded.amount,
    count = charge_hours.count + excluded.count`,
)
