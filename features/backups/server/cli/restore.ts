import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordCommand } from '#server/cli/command-change.ts'
import { createProgress } from '#server/cli/progress.ts'
import {
  type Config,
  hasSecretKey,
  readConfigWithoutWriting,
  requireKey,
  secretKeyPath,
  writeSecretKey,
} from '#server/config/config.ts'
import { nowMs } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { createPrivateFile, createPrivateFolder } from '#server/core/private-files.ts'
import { removeFile, syncFile, withCopy } from '#server/db/copy/backup.ts'
import { copyIntoPostgres, holdsRows } from '#server/db/copy/copy-database.ts'
import {
  detectEngine,
  listMigrations,
  lockDatabaseFile,
  migrate,
  type OpenDatabase,
  openDatabase,
} from '#server/db/engine/database.ts'
import type { CommandContext } from '#server/feature.ts'
import { compareSecretKey } from '#server/settings/secret-key.ts'
import { type InspectedCopy, inspectCopy, renderCopy } from './inspect-copy.ts'

const EXIT_USAGE_ERROR = 2

interface RestoreRequest {
  readonly path: string
  readonly keyPath: string | undefined
  readonly isReplacing: boolean
}

interface RestoredCopy {
  readonly request: RestoreRequest
  readonly inspected: InspectedCopy
  readonly secretKey: string
}

/**
 * `tollgate restore FILE`: makes a backup the database of this installation, whatever the engine of either. The gateway must be
 * stopped. Everything is checked before the first change. Returns the exit code.
 */
export async function restore(args: readonly string[], context: CommandContext): Promise<number> {
  const { migrations } = context
  const request = readRequest(args)
  if (typeof request === 'string') {
    process.stderr.write(`tollgate restore: ${request}\n`)
    return EXIT_USAGE_ERROR
  }
  const config = readConfigWithoutWriting()
  const secretKey = chooseKey(config, request)
  const isFile = detectEngine(config.databaseUrl) === 'sqlite'
  if (isFile && existsSync(config.databaseUrl) && !request.isReplacing)
    throw new Error(
      `${config.databaseUrl} exists: --replace puts the backup in its place and keeps it under another name`,
    )
  const unlock = isFile ? lockDatabaseFile(config.databaseUrl) : () => undefined
  const copyPath = join(config.dataDir, 'tollgate.db.restore')
  try {
    createPrivateFolder(config.dataDir)
    removeFile(copyPath)
    createPrivateFile(copyPath)
    copyFileSync(request.path, copyPath)
    const copy = await withCopy(copyPath, migrations, async opened => {
      const inspected = await inspectCopy(opened)
      await requireFittingKey(opened, inspected, secretKey)
      if (request.keyPath !== undefined && !hasSecretKey(config))
        writeSecretKey(secretKeyPath(config.dataDir), secretKey)
      await recordRestore(opened, { request, inspected, secretKey }, context)
      if (!isFile) await restoreToPostgres(config, opened)
      return inspected
    })
    const replaced = isFile ? replaceFile(copyPath, config.databaseUrl) : undefined
    process.stdout.write(`Restored ${renderCopy(request.path, copy)}\n`)
    if (replaced !== undefined) process.stdout.write(`The database before it is ${replaced}.\n`)
    return copy.drift === 0 ? 0 : 1
  } finally {
    removeFile(copyPath)
    unlock()
  }
}

/** The row is part of what becomes the database. The schema of an earlier version may have no audit log. */
async function recordRestore(
  { db }: OpenDatabase,
  { request, inspected, secretKey }: RestoredCopy,
  context: CommandContext,
): Promise<void> {
  const input = { file: request.path, replace: request.isReplacing }
  if (inspected.counts !== undefined)
    await recordCommand({ command: 'restore', secretKey, db, input }, context, () => Promise.resolve())
  else process.stdout.write('The backup is of an earlier version: the audit log will not show the restore.\n')
}

/** Returns the problem with the arguments as a sentence. */
function readRequest(args: readonly string[]): RestoreRequest | string {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { key: { type: 'string' }, replace: { type: 'boolean', default: false } },
  })
  const [path, ...others] = positionals
  if (path === undefined || others.length > 0)
    return 'one backup is needed: the file that tollgate backup wrote'
  if (!existsSync(path)) return `there is no ${path}`
  return { path, keyPath: values.key, isReplacing: values.replace }
}

/** The key of the backup. Throws when the installation has another one than the file. */
function chooseKey(config: Config, { keyPath }: RestoreRequest): string {
  if (keyPath === undefined) return config.secretKey
  const key = requireKey(keyPath)
  if (hasSecretKey(config) && key !== config.secretKey)
    throw new Error(
      `this installation has another secret key than ${keyPath}: unset SECRET_KEY, or move the file secret-key out of ${config.dataDir}`,
    )
  return key
}

async function requireFittingKey(
  copy: OpenDatabase,
  { counts }: InspectedCopy,
  secretKey: string,
): Promise<void> {
  if (counts === undefined || (await compareSecretKey(copy.db, createSecrets(secretKey))) !== 'differs')
    return
  throw new Error(
    'the secret key does not belong to this backup: name its file with --key, or set SECRET_KEY to the key that was stored with it',
  )
}

/** Returns the path that the database before has from now on. */
function replaceFile(copyPath: string, databasePath: string): string | undefined {
  const isPresent = existsSync(databasePath)
  const kept = `${databasePath}.replaced-${new Date(nowMs()).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  // The latest commits of a gateway that was killed are in the journal.
  if (isPresent)
    for (const suffix of ['-wal', '-shm', '']) moveFile(`${databasePath}${suffix}`, `${kept}${suffix}`)
  syncFile(copyPath)
  renameSync(copyPath, databasePath)
  syncFile(dirname(databasePath))
  return isPresent ? kept : undefined
}

function moveFile(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to)
}

/** The database must be empty: rows of another one are never deleted. */
async function restoreToPostgres({ databaseUrl, durability }: Config, copy: OpenDatabase): Promise<void> {
  const target = openDatabase({ url: databaseUrl, durability, connections: 1 }, copy.migrations)
  const progress = createProgress()
  try {
    if (await holdsRows(target))
      throw new Error(
        'the database of DATABASE_URL is not empty: create a new one and name it in DATABASE_URL',
      )
    await migrate(target, (await listMigrations(copy)).applied)
    await copyIntoPostgres(copy.db, target, progress.onRows)
  } finally {
    progress.end()
    await target.close()
  }
}
