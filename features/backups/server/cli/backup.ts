import { existsSync, statSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createProgress } from '#server/cli/progress.ts'
import { type Config, hasSecretKey, readConfigWithoutWriting, writeSecretKey } from '#server/config/config.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { writeBackup } from '#server/db/copy/backup.ts'
import { deleteOldBackups, nextBackupPath } from '#server/db/copy/backup-folder.ts'
import { detectEngine, lockFile, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import type { Migration } from '#server/db/migrations/migration.ts'
import type { CommandContext } from '#server/feature.ts'
import { compareSecretKey } from '#server/settings/secret-key.ts'
import { inspectCopy, renderCopy } from './inspect-copy.ts'

const EXIT_USAGE_ERROR = 2
const KEEP_MAX = 1000
/** Requests come first. */
const LOW_PRIORITY = 10

interface BackupArguments {
  readonly path: string
  readonly folder: string | undefined
  readonly keep: number | undefined
  readonly keyPath: string | undefined
}

/**
 * `tollgate backup FILE | FOLDER`: copies the database while the gateway serves, opens the copy and recomputes its balances.
 * Returns the exit code: 1 when the copy cannot be made, its books do not balance, or the secret key is another one.
 */
export async function backup(args: readonly string[], { migrations }: CommandContext): Promise<number> {
  const request = readRequest(args)
  if (typeof request === 'string') {
    process.stderr.write(`tollgate backup: ${request}\n`)
    return EXIT_USAGE_ERROR
  }
  const config = readConfigWithoutWriting()
  requireSources(config, request)
  const unlock = lockFile(join(config.dataDir, 'tollgate.db.lock-backup'))
  if (!unlock) throw new Error('another backup of this installation is being made')
  lowerPriority()
  try {
    const { copy, key } = await copyDatabase(config, migrations, request.path)
    if (request.keyPath !== undefined && key !== 'differs') writeSecretKey(request.keyPath, config.secretKey)
    process.stdout.write(`${renderCopy(request.path, copy)}\n${describeKey(request.keyPath, key)}\n`)
    if (request.folder !== undefined && request.keep !== undefined)
      deleteOldBackups(request.folder, 'tollgate', request.keep)
    return copy.drift === 0 && key !== 'differs' ? 0 : 1
  } finally {
    unlock()
  }
}

/** Opening a database file that does not exist would create it. */
function requireSources(config: Config, { keyPath }: BackupArguments): void {
  if (detectEngine(config.databaseUrl) === 'sqlite' && !existsSync(config.databaseUrl))
    throw new Error(`there is no database ${config.databaseUrl}: DATA_DIR and DATABASE_URL name it`)
  if (keyPath !== undefined && !hasSecretKey(config))
    throw new Error(`there is no secret key to write to ${keyPath}: set SECRET_KEY or DATA_DIR`)
}

type KeyComparison = Awaited<ReturnType<typeof compareSecretKey>>

/** Writes the file, and returns its contents and whether this environment's key belongs to it. */
async function copyDatabase(
  { databaseUrl, durability, secretKey }: Config,
  migrations: readonly Migration[],
  path: string,
) {
  const database = openDatabase({ url: databaseUrl, durability, connections: 1 }, migrations)
  const progress = createProgress()
  const secrets = createSecrets(secretKey)
  const check = async (opened: OpenDatabase) => {
    const copy = await inspectCopy(opened)
    // The tables of an earlier schema may have other columns.
    const key: KeyComparison = copy.counts ? await compareSecretKey(opened.db, secrets) : 'unused'
    return { copy, key }
  }
  try {
    return await writeBackup(database, { path, onRows: progress.onRows, check })
  } finally {
    progress.end()
    await database.close()
  }
}

function describeKey(path: string | undefined, key: KeyComparison): string {
  if (key === 'differs')
    return 'The secret key of this environment does not belong to the database: set SECRET_KEY or DATA_DIR.'
  return path === undefined
    ? 'The secret key is not in the backup: store it too, apart from it (SECRET_KEY, or the file secret-key in DATA_DIR).'
    : `The secret key is in ${path}: store it apart from the backup.`
}

/** Returns the problem with the arguments as a sentence. */
function readRequest(args: readonly string[]): BackupArguments | string {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { key: { type: 'string' }, keep: { type: 'string' } },
  })
  const [target, ...others] = positionals
  if (target === undefined || others.length > 0) return 'one file or folder is needed for the backup'
  if (values.key !== undefined && existsSync(values.key))
    return `${values.key} exists: the key never replaces a file`
  const isFolder = target.endsWith('/') || isExistingFolder(target)
  if (isFolder) return readFolderRequest(resolve(target), values)
  if (values.keep !== undefined) return `--keep needs a folder, and ${target} is none`
  if (existsSync(target)) return `${target} exists: a backup never replaces a file`
  return { path: resolve(target), folder: undefined, keep: undefined, keyPath: values.key }
}

const isExistingFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

function readFolderRequest(
  folder: string,
  values: { readonly key?: string | undefined; readonly keep?: string | undefined },
): BackupArguments | string {
  const keep = values.keep === undefined ? undefined : Number(values.keep)
  if (keep !== undefined && !(Number.isInteger(keep) && keep >= 1 && keep <= KEEP_MAX))
    return `--keep needs a number from 1 to ${KEEP_MAX}; found ${JSON.stringify(values.keep)}`
  return { path: nextBackupPath(folder, 'tollgate'), folder, keep, keyPath: values.key }
}

function lowerPriority(): void {
  try {
    setPriority(LOW_PRIORITY)
  } catch {
    // A container may forbid it, and the backup is made all the same.
  }
}
