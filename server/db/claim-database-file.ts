import { SQLiteError, Database as SqliteFile } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../core/errors.ts'

/**
 * Makes sure that only one gateway serves from an embedded database: a second one would take the first one's open
 * holds for abandoned. The lock lies in a file beside the database and goes with the process, however it ends.
 * Throws an Error when another process has it, or the folder takes no files. The function it gives lets go.
 */
export function claimDatabaseFile(path: string): () => void {
  let lock: SqliteFile | undefined
  try {
    mkdirSync(dirname(path), { recursive: true })
    lock = new SqliteFile(`${path}.lock`, { create: true })
    lock.exec('pragma locking_mode = exclusive')
    lock.exec('begin exclusive')
  } catch (cause) {
    lock?.close()
    const isTaken = cause instanceof SQLiteError && cause.code === 'SQLITE_BUSY'
    if (isTaken) throw new Error(`another Tollgate already serves from ${path}`, { cause })
    throw new Error(`the database file ${path} cannot be used: ${messageOf(cause)}`, { cause })
  }
  return () => lock.close()
}
