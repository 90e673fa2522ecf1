import type { Database } from '../engine/database.ts'

/** Says that a process lives. The first call writes its row. */
export async function recordHeartbeat(db: Database, processId: string, nowSeconds: number): Promise<void> {
  await db
    .insertInto('processes')
    .values({ id: processId, started_at: nowSeconds, seen_at: nowSeconds })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ seen_at: nowSeconds }))
    .execute()
}

/** When each process last said that it lives, by its own clock in Unix seconds. */
export async function listHeartbeats(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('processes').select(['id', 'seen_at']).execute()
  return new Map(rows.map(row => [row.id, row.seen_at]))
}

/** Those that live, and those that died so lately that nobody has noticed. */
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

/** Takes a process off the list, unless it has said that it lives since then. */
export async function deleteStaleProcess(db: Database, processId: string, seenAt: number): Promise<void> {
  await db.deleteFrom('processes').where('id', '=', processId).where('seen_at', '=', seenAt).execute()
}

/** Whether a process is on the list of those that live. */
export async function hasHeartbeat(db: Database, processId: string): Promise<boolean> {
  const row = await db.selectFrom('processes').select('id').where('id', '=', processId).executeTakeFirst()
  return row !== undefined
}
