import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import { createPrivateFile, createPrivateFolder } from '../../core/private-files.ts'
import {
  type Database,
  listMigrations,
  migrate,
  type OpenDatabase,
  openDatabase,
} from '../engine/database.ts'
import type { Migration } from '../migrations/migration.ts'
import { copyFromPostgres, type OnRows } from './copy-database.ts'

const PARTIAL_SUFFIX = '.partial'
const JOURNALS = ['', '-wal', '-shm', '-journal']

/**
 * Writes a backup of a database that may be in use to `path`: a SQLite file with the schema of the source, whatever its engine.
 * `check` reads the copy before the file gets its name, and throws when it is unusable. Returns what `check` returns.
 */
export async function writeBackup<T>(
  source: OpenDatabase,
  { path, onRows, check }: BackupRequest<T>,
): Promise<T> {
  const partial = `${path}${PARTIAL_SUFFIX}`
  createPrivateFolder(dirname(path))
  removeFile(partial)
  createPrivateFile(partial)
  try {
    await (source.engine === 'sqlite' ? vacuumInto(source.db, partial) : copyInto(source, partial, onRows))
    const result = await withCopy(partial, source.migrations, check)
    syncFile(partial)
    renameSync(partial, path)
    syncFile(dirname(path))
    return result
  } finally {
    removeFile(partial)
  }
}

export interface BackupRequest<T> {
  readonly path: string
  readonly onRows: OnRows
  readonly check: (copy: OpenDatabase) => Promise<T>
}

/**
 * Reads one snapshot and blocks no writer. SQLite's own backup interface starts again with every write and never ends under
 * load.
 */
const vacuumInto = (db: Database, path: string) => sql`vacuum into ${path}`.execute(db)

async function copyInto(source: OpenDatabase, path: string, onRows: OnRows): Promise<void> {
  const copy = openDatabase({ url: path, durability: 'process' }, source.migrations)
  try {
    await migrate(copy, (await listMigrations(source)).applied)
    await copyFromPostgres(source.db, copy, onRows)
  } finally {
    await copy.close()
  }
}

/** Opens a backup that is a copy of its own: opening changes the file. */
export async function withCopy<T>(
  path: string,
  migrations: readonly Migration[],
  work: (copy: OpenDatabase) => Promise<T>,
): Promise<T> {
  const copy = openDatabase({ url: path, durability: 'process' }, migrations)
  try {
    await requireIntact(copy.db)
    const result = await work(copy)
    // A backup is one file: without this, it would need its journal.
    await sql`pragma journal_mode = delete`.execute(copy.db)
    return result
  } finally {
    await copy.close()
  }
}

/** Throws when the file is damaged. */
async function requireIntact(db: Database): Promise<void> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db)
  const result = rows[0]?.integrity_check
  if (result !== 'ok') throw new Error(`the file is damaged: ${result}`)
}

/** Removes a database file with its journals. */
export function removeFile(path: string): void {
  for (const suffix of JOURNALS) rmSync(`${path}${suffix}`, { force: true })
}

/** Waits until the disk has the file, so that it survives a loss of power. */
export function syncFile(path: string): void {
  if (!existsSync(path)) return
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
