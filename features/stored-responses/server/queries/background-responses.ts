import type { Selectable } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { StateOwner } from '../state-owner.ts'
import {
  type BackgroundEventTable,
  type BackgroundResponseTable,
  isVisibleTo,
  withResponseTables,
} from '../tables.ts'

export type BackgroundResponseRow = Readonly<Selectable<BackgroundResponseTable>>
export type BackgroundEventRow = Readonly<Selectable<BackgroundEventTable>>

const EVENTS_AT_ONCE = 50
export async function insertBackgroundResponse(db: Database, row: BackgroundResponseRow): Promise<void> {
  await withResponseTables(db).insertInto('background_responses').values(row).execute()
}

/** Undefined when the user has no such response, whoever else may have it. */
export async function selectBackgroundResponse(
  db: Database,
  id: string,
  owner: StateOwner,
): Promise<BackgroundResponseRow | undefined> {
  return await withResponseTables(db)
    .selectFrom('background_responses')
    .selectAll()
    .where('id', '=', id)
    .where(isVisibleTo(owner))
    .executeTakeFirst()
}

/** How far a response is, without its content, which readers of its events ask for often. */
export async function selectBackgroundStatus(
  db: Database,
  id: string,
  owner: StateOwner,
): Promise<Pick<BackgroundResponseRow, 'status' | 'alive_at'> | undefined> {
  return await withResponseTables(db)
    .selectFrom('background_responses')
    .select(['status', 'alive_at'])
    .where('id', '=', id)
    .where(isVisibleTo(owner))
    .executeTakeFirst()
}

/** Says that the response still runs. Returns whether it is to be cancelled, or was deleted. */
export async function keepBackgroundResponse(
  db: Database,
  id: string,
  alive_at: number,
): Promise<{ readonly isCancelled: boolean }> {
  const row = await withResponseTables(db)
    .updateTable('background_responses')
    .set({ alive_at })
    .where('id', '=', id)
    .returning('is_cancelled')
    .executeTakeFirst()
  return { isCancelled: row === undefined || row.is_cancelled !== 0 }
}

export async function endBackgroundResponse(
  db: Database,
  { id, ...change }: Pick<BackgroundResponseRow, 'id' | 'status' | 'response_encrypted'>,
): Promise<void> {
  await withResponseTables(db).updateTable('background_responses').set(change).where('id', '=', id).execute()
}

export async function cancelBackgroundResponse(db: Database, id: string): Promise<void> {
  await withResponseTables(db)
    .updateTable('background_responses')
    .set({ is_cancelled: 1 })
    .where('id', '=', id)
    .execute()
}

/** Deletes it with its events. Returns whether the user had it. */
export async function deleteBackgroundResponse(
  db: Database,
  id: string,
  owner: StateOwner,
): Promise<boolean> {
  const { numDeletedRows } = await withResponseTables(db)
    .deleteFrom('background_responses')
    .where('id', '=', id)
    .where(isVisibleTo(owner))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deleteBackgroundResponsesOfUser(db: Database, userId: number): Promise<void> {
  await withResponseTables(db).deleteFrom('background_responses').where('user_id', '=', userId).execute()
}

export async function insertBackgroundEvents(db: Database, row: BackgroundEventRow): Promise<void> {
  await withResponseTables(db).insertInto('background_events').values(row).execute()
}

/** The next rows that have events after a number. */
export async function selectBackgroundEvents(
  db: Database,
  responseId: string,
  after: number,
): Promise<readonly BackgroundEventRow[]> {
  return await withResponseTables(db)
    .selectFrom('background_events')
    .selectAll()
    .where('response_id', '=', responseId)
    .where('last_number', '>', after)
    .orderBy('last_number')
    .limit(EVENTS_AT_ONCE)
    .execute()
}
