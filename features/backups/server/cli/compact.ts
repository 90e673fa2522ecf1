import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfigWithoutWriting } from '#server/config/config.ts'
import { MIB } from '#server/core/limits.ts'
import { detectEngine, lockDatabaseFile, openDatabase } from '#server/db/engine/database.ts'
import type { CommandContext } from '#server/feature.ts'
import { rewriteFile } from '../queries.ts'

/**
 * `tollgate compact`: writes the embedded database anew, without the space of deleted rows. Returns the exit code. Throws an
 * Error while a gateway serves from it, and when the disk has no room for the new file.
 */
export async function compact(_: readonly string[], { migrations }: CommandContext): Promise<number> {
  const { databaseUrl: path, durability } = readConfigWithoutWriting()
  if (detectEngine(path) !== 'sqlite')
    throw new Error(
      'PostgreSQL returns space by itself: log rows that are old by a month go with their table',
    )
  if (!existsSync(path)) throw new Error(`there is no database ${path}: DATA_DIR and DATABASE_URL name it`)
  const unlock = lockDatabaseFile(path)
  try {
    const before = sizeOf(path)
    requireRoom(path, before)
    const database = openDatabase({ url: path, durability }, migrations)
    try {
      await rewriteFile(database.db)
    } finally {
      await database.close()
    }
    process.stdout.write(`${path}: ${inMib(before)} before, ${inMib(sizeOf(path))} now\n`)
    return 0
  } finally {
    unlock()
  }
}

const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`

/** Of the file and its journal. */
const sizeOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)

/** The new file is written beside the old one, then into the journal. */
function requireRoom(path: string, size: number): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  const [free, needed] = [bavail * bsize, 2 * size]
  if (free < needed)
    throw new Error(
      `${dirname(path)} has ${inMib(free)} free, ${inMib(needed)} are needed: the database is written anew`,
    )
}
