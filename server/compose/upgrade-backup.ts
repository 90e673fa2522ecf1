import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { deleteOldBackups, nextBackupPath } from '../db/copy/backup-folder.ts'
import { listMigrations, type OpenDatabase } from '../db/engine/database.ts'

const KEPT = 3
const NO_COUNT = () => undefined

/**
 * Backs the database up before migrations change it: the way back to the version before. A PostgreSQL database is backed up only
 * when BACKUP_DIR names a folder for it, since the data folder of a container may be small or in memory. Throws when the
 * backup cannot be made.
 */
export async function backUpBeforeUpgrade(
  database: OpenDatabase,
  { backup, dataDir }: Config,
  log: Logger,
): Promise<void> {
  const { applied, pending } = await listMigrations(database)
  if (applied.length === 0 || pending.length === 0) return
  const folder = backup.folder ?? (database.engine === 'sqlite' ? join(dataDir, 'backups') : undefined)
  if (!backup.isMadeBeforeUpgrade || folder === undefined) {
    log.warn('the database is upgraded without a backup: BACKUP_DIR would make one', { migrations: pending })
    return
  }
  try {
    const path = nextBackupPath(folder, 'before-upgrade')
    log.info('backing up the database before its upgrade', { path, migrations: pending })
    const { writeBackup } = await import('../db/copy/backup.ts')
    await writeBackup(database, { path, onRows: NO_COUNT, check: async () => undefined })
    deleteOldBackups(folder, 'before-upgrade', KEPT)
  } catch (cause) {
    throw new Error(
      `the database cannot be backed up before its upgrade: ${errorMessage(cause)}; make room in ${folder}, name another folder in BACKUP_DIR, or set BACKUP_BEFORE_UPGRADE=off`,
      { cause },
    )
  }
}
