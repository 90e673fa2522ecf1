import { existsSync } from 'node:fs'
import { removeFile, withCopy, writeBackup } from '#server/db/copy/backup.ts'
import { copyIntoPostgres, holdsRows, type OnRows } from '#server/db/copy/copy-database.ts'
import { listTableShapes, type TableShape } from '#server/db/copy/table-shapes.ts'
import { detectEngine, migrate, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import type { Migration } from '#server/db/migrations/migration.ts'
import { checksumTables, findDifferentTables, type TableChecksum } from './checksums.ts'

export interface MoveRequest {
  /** `postgres://…` of an empty database, or the path of a file that does not exist. */
  readonly to: string
  /** A file that a move between two servers uses meanwhile. */
  readonly temporaryPath: string
  readonly onRows: OnRows
  /** Looks at the copy before it is declared usable, and throws when it is not. */
  readonly check: (copy: OpenDatabase) => Promise<void>
}

/**
 * Copies a database that nobody writes to another place and proves, table by table, that the copy is the same. Throws an Error
 * for people when the place is taken, or when the copy differs. A move that is interrupted leaves the place empty.
 */
export async function moveDatabase(
  source: OpenDatabase,
  { to, temporaryPath, onRows, check }: MoveRequest,
): Promise<readonly TableChecksum[]> {
  const prove = async (copy: OpenDatabase) => {
    const checksums = await compareTables(source, copy)
    await check(copy)
    return checksums
  }
  if (detectEngine(to) === 'sqlite') {
    if (existsSync(to)) throw new Error(`${to} exists: a move never replaces a file`)
    return writeBackup(source, { path: to, onRows, check: prove })
  }
  const target = openDatabase(
    { url: to, durability: source.location.durability, connections: 1 },
    source.migrations,
  )
  try {
    if (await holdsRows(target)) throw new Error('the database to move to is not empty: create a new one')
    await migrate(target)
    if (source.engine === 'sqlite') await copyIntoPostgres(source.db, target, onRows)
    else await copyBetweenServers(source, target, { temporaryPath, onRows })
    return await prove(target)
  } finally {
    await target.close()
  }
}

async function copyBetweenServers(
  source: OpenDatabase,
  target: OpenDatabase,
  { temporaryPath: path, onRows }: Pick<MoveRequest, 'temporaryPath' | 'onRows'>,
): Promise<void> {
  try {
    await writeBackup(source, { path, onRows, check: async () => undefined })
    await withCopy(path, source.migrations, copy => copyIntoPostgres(copy.db, target, onRows))
  } finally {
    removeFile(path)
  }
}

/** Throws when a table differs. */
async function compareTables(source: OpenDatabase, copy: OpenDatabase): Promise<readonly TableChecksum[]> {
  const shapes = await listOwnTables(source.migrations)
  const checksums = await checksumTables(source, shapes)
  const different = findDifferentTables(checksums, await checksumTables(copy, shapes))
  if (different.length === 0) return checksums
  throw new Error(
    `the copy differs in ${different.join(', ')}: somebody wrote meanwhile, so do not use it; stop the gateway and move into an empty database`,
  )
}

/** The tables of this program's schema. */
async function listOwnTables(migrations: readonly Migration[]): Promise<readonly TableShape[]> {
  const schema = openDatabase({ url: ':memory:', durability: 'process' }, migrations)
  try {
    await migrate(schema)
    return await listTableShapes(schema.db)
  } finally {
    await schema.close()
  }
}
