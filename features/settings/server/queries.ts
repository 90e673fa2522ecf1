import type { Database } from '#server/db/engine/database.ts'

/** How many channels there are, and how many of them were ever tested. */
export async function readChannelProgress(
  db: Database,
): Promise<{ readonly count: number; readonly testedCount: number }> {
  const { count, tested } = await db
    .selectFrom('channels')
    .select(eb => [
      eb.fn.countAll<string>().as('count'),
      eb.fn.countAll<string>().filterWhere('test_time', '>', 0).as('tested'),
    ])
    .executeTakeFirstOrThrow()
  return { count: Number(count), testedCount: Number(tested) }
}

export async function deleteOption(tx: Database, key: string): Promise<void> {
  await tx.deleteFrom('options').where('key', '=', key).execute()
}
