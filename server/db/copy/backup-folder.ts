import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nowMs } from '../../core/clock.ts'
import { createPrivateFolder } from '../../core/private-files.ts'
import { removeFile } from './backup.ts'

/** Why a backup was made. Each kind has its own retention. */
type BackupKind = 'tollgate' | 'before-upgrade'

const BACKUP_NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.db$/
const PARTIAL_BACKUP = /\.db\.partial(-wal|-shm|-journal)?$/
/** No backup takes longer: older files were left by killed processes. */
const PARTIAL_MS_MAX = 24 * 3600 * 1000

/** The path of a new backup in a folder, which is created. Names sort by time. */
export function nextBackupPath(folder: string, kind: BackupKind): string {
  createPrivateFolder(folder)
  const time = new Date(nowMs()).toISOString().slice(0, 19).replaceAll(':', '-')
  return join(folder, `${kind}-${time}Z.db`)
}

export interface ListedBackup {
  readonly name: string
  readonly bytes: number
  readonly createdAtMs: number
}

/** The backups of a kind, newest first. */
export const listBackups = (folder: string, kind: BackupKind): readonly ListedBackup[] =>
  listNames(folder, kind).flatMap(name => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    return stats ? [{ name, bytes: stats.size, createdAtMs: stats.mtimeMs }] : []
  })

/** Whether a process writes a backup to the folder. */
export const isBackupInProgress = (folder: string): boolean =>
  namesIn(folder).some(name => PARTIAL_BACKUP.test(name) && !isAbandoned(join(folder, name)))

/** Deletes all but the newest backups of a kind and returns how many. Files of other names are never touched. */
export function deleteOldBackups(folder: string, kind: BackupKind, keep: number): number {
  const old = listNames(folder, kind).slice(keep)
  for (const name of old) removeFile(join(folder, name))
  const partial = namesIn(folder).filter(name => PARTIAL_BACKUP.test(name))
  for (const path of partial.map(name => join(folder, name))) if (isAbandoned(path)) removeFile(path)
  return old.length
}

function isAbandoned(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && nowMs() - stats.mtimeMs > PARTIAL_MS_MAX
}

/** Newest first. */
const listNames = (folder: string, kind: BackupKind): readonly string[] =>
  namesIn(folder)
    .filter(name => name.startsWith(`${kind}-`) && BACKUP_NAME.test(name.slice(kind.length + 1)))
    .sort()
    .reverse()

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
