import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nowMs } from '../../core/clock.ts'
import { createPrivateFolder } from '../../core/private-files.ts'
import { removeFile } from './backup.ts'

/** Why a backup was made. Each kind has its own retention. */
type BackupKind = 'tollgate' | 'before-upgrade'

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.db$/
const PARTIAL = /\.db\.partial(-wal|-shm|-journal)?$/
/** No backup takes longer: what is older was left by a process that was killed. */
const PARTIAL_MS_MAX = 24 * 3600 * 1000

/** The path of a new backup in a folder, which is created. Names sort by time. */
export function nextBackupPath(folder: string, kind: BackupKind): string {
  createPrivateFolder(folder)
  const time = new Date(nowMs()).toISOString().slice(0, 19).replaceAll(':', '-')
  return join(folder, `${kind}-${time}Z.db`)
}

/** When the newest backup of a kind was made, in milliseconds. Undefined: there is none. */
export function newestBackupMs(folder: string, kind: BackupKind): number | undefined {
  const newest = listBackups(folder, kind)[0]
  return newest === undefined ? undefined : statSync(join(folder, newest)).mtimeMs
}

/** Deletes all but the newest backups of a kind and returns how many. Files of other names are never touched. */
export function deleteOldBackups(folder: string, kind: BackupKind, keep: number): number {
  const old = listBackups(folder, kind).slice(keep)
  for (const name of old) removeFile(join(folder, name))
  for (const name of namesIn(folder).filter(name => PARTIAL.test(name))) {
    const path = join(folder, name)
    if (nowMs() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs()) > PARTIAL_MS_MAX)
      removeFile(path)
  }
  return old.length
}

/** Newest first. */
const listBackups = (folder: string, kind: BackupKind): readonly string[] =>
  namesIn(folder)
    .filter(name => name.startsWith(`${kind}-`) && TIME.test(name.slice(kind.length + 1)))
    .sort()
    .reverse()

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
