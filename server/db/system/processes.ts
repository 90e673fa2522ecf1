import type { Database } from '../engine/database.ts'

/** Stores the heartbeat of a process. The first call inserts its row. */
export async function recordHeartbeat(db: Database, processId: string, nowSeconds: number): Promise<void> {
  await db
    .insertInto('processes')
    .values({ id: processId, started_at: nowSeconds, seen_at: nowSeconds })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ seen_at: nowSeconds }))
    .execute()
}

/** The last heartbeat of each process, in Unix seconds of its own clock. */
export async function listHeartbeats(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('processes').select(['id', 'seen_at']).execute()
  return new Map(rows.map(row => [row.id, row.seen_at]))
}

/** Counts running processes, including those that are gone without having been detected yet. */
export async function countProcesses(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('processes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function deleteProcess(db: Database, processId: string): Promise<void> {
  await db.deleteFrom('processes').where('id', '=', processId).execute()
}

/** Deletes a process unless it has sent another heartbeat since `lastHeartbeat`. */
export async function deleteStaleProcess(
  db: Database,
  processId: string,
  lastHeartbeat: number,
): Promise<void> {
  await db.deleteFrom('processes').where('id', '=', processId).where('seen_at', '=', lastHeartbeat).execute()
}

/** Whether a process has a heartbeat. */
export async function hasHeartbeat(db: Database, processId: string): Promise<boolean> {
  const row = await db.selectFrom('processes').select('id').where('id', '=', processId).executeTakeFirst()
  return row !== undefined
}
