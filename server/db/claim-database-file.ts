import { Database as SqliteFile } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes sure that only one gateway serves from an embedded database: a second one would take the first one's open
 * holds for abandoned. The lock lies in a file beside the database and goes with the process, however it ends.
 * Throws an Error when another process has it. The function it gives lets go.
 */
export function claimDatabaseFile(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true })
  const lock = new SqliteFile(`${path}.lock`, { create: true })
  try {
    lock.exec('pragma locking_mode = exclusive')
    lock.exec('begin exclusive')
  } catch (cause) {
    lock.close()
    throw new Error(`another Tollgate already serves from ${path}`, { cause })
  }
  return () => lock.close()
}
