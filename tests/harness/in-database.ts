import { join } from 'node:path'
import { type Database, openDatabase } from '#server/db/engine/database.ts'
import type { RunningGateway } from './start-gateway.ts'

/** Opens the database of a gateway directly, for states that no API call can create. */
export async function inDatabase<T>(
  { dataDir, databaseUrl }: Pick<RunningGateway, 'dataDir' | 'databaseUrl'>,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { db, close } = openDatabase({
    url: databaseUrl ?? join(dataDir, 'tollgate.db'),
    durability: 'process',
  })
  try {
    return await work(db)
  } finally {
    await close()
  }
}
