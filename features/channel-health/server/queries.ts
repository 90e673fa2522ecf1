import { type Database, inTransaction } from '#server/db/engine/database.ts'

/** Calls of a channel in a quarter of an hour. */
export interface AttemptRow {
  readonly channel_id: number
  /** Unix seconds. */
  readonly start: number
  readonly attempts: number
  readonly failed: number
  /** Status and code of the last failure; empty without one. */
  readonly error: string
  /** Unix seconds; 0 without one. */
  readonly error_at: number
  /** Unix seconds; 0 without a success. */
  readonly succeeded_at: number
}

/** A type, since an interface does not join the tables of the base. */
type AttemptTables = { channel_attempts: AttemptRow }

const withAttempts = (db: Database) => db.withTables<AttemptTables>()

/** Adds to the rows, which processes share, and deletes those before `keptFrom`. Pass each key once, sorted. */
export const addAttempts = (db: Database, rows: readonly AttemptRow[], keptFrom: number): Promise<void> =>
  inTransaction(db, async tx => {
    for (const row of rows)
      await withAttempts(tx)
        .insertInto('channel_attempts')
        .values(row)
        .onConflict(conflict =>
          conflict.columns(['channel_id', 'start']).doUpdateSet(eb => ({
            attempts: eb('channel_attempts.attempts', '+', eb.ref('excluded.attempts')),
            failed: eb('channel_attempts.failed', '+', eb.ref('excluded.failed')),
            ...(row.error_at > 0 && { error: row.error, error_at: row.error_at }),
            ...(row.succeeded_at > 0 && { succeeded_at: row.succeeded_at }),
          })),
        )
        .execute()
    await withAttempts(tx).deleteFrom('channel_attempts').where('start', '<', keptFrom).execute()
  })

/** All rows from a time on, by channel and time. */
export async function listAttempts(db: Database, from: number): Promise<AttemptRow[]> {
  const rows = await withAttempts(db)
    .selectFrom('channel_attempts')
    .selectAll()
    .where('start', '>=', from)
    .orderBy('channel_id')
    .orderBy('start')
    .execute()
  return rows.map(row => ({
    ...row,
    channel_id: Number(row.channel_id),
    start: Number(row.start),
    attempts: Number(row.attempts),
    failed: Number(row.failed),
    error_at: Number(row.error_at),
    succeeded_at: Number(row.succeeded_at),
  }))
}
