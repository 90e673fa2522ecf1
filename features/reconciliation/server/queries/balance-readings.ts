import type { Insertable, Selectable } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { type BalanceReadingTable, withReconciliationTables } from '../tables.ts'

export type BalanceReading = Selectable<BalanceReadingTable>

/** Some months of hourly queries. */
const READINGS_KEPT = 2000

/** Stores the balance of a channel's account, and deletes the oldest readings of the channel beyond 2,000. */
export async function insertBalanceReading(
  tx: Database,
  reading: Insertable<BalanceReadingTable>,
): Promise<void> {
  await withReconciliationTables(tx).insertInto('balance_readings').values(reading).execute()
  const oldest = await withReconciliationTables(tx)
    .selectFrom('balance_readings')
    .select('id')
    .where('channel_id', '=', reading.channel_id)
    .orderBy('id', 'desc')
    .offset(READINGS_KEPT - 1)
    .limit(1)
    .executeTakeFirst()
  if (oldest)
    await withReconciliationTables(tx)
      .deleteFrom('balance_readings')
      .where('channel_id', '=', reading.channel_id)
      .where('id', '<', oldest.id)
      .execute()
}

/** The readings of a channel, newest first. */
export const listBalanceReadings = (
  db: Database,
  channelId: number,
  limit: number,
): Promise<BalanceReading[]> =>
  withReconciliationTables(db)
    .selectFrom('balance_readings')
    .selectAll()
    .where('channel_id', '=', channelId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export const findBalanceReading = (db: Database, id: number): Promise<BalanceReading | undefined> =>
  withReconciliationTables(db)
    .selectFrom('balance_readings')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
