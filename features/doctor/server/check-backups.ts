import type { BackupConfig } from '#server/config/backup-config.ts'
import { nowMs } from '#server/core/clock.ts'
import { listBackups } from '#server/db/copy/backup-folder.ts'
import { type CheckResult, checkProblem, ok } from './check-result.ts'

const HOUR_MS = 3_600_000
/** A backup that is being made, or was missed once, is no reason to warn. */
const INTERVALS_MAX = 2

/** Whether the scheduled backups are made. */
export function checkBackups({ folder, intervalHours }: BackupConfig): CheckResult {
  if (folder === undefined)
    return ok('backups', {
      zh: '未设置 BACKUP_DIR，不会定时备份',
      en: 'BACKUP_DIR is not set, so no backups are scheduled',
    })
  const newestMs = listBackups(folder, 'tollgate')[0]?.createdAtMs
  const hours = newestMs === undefined ? undefined : (nowMs() - newestMs) / HOUR_MS
  if (hours !== undefined && hours <= intervalHours * INTERVALS_MAX)
    return ok('backups', {
      zh: `最近一次备份在 ${hours.toFixed(1)} 小时前`,
      en: `the newest backup is ${hours.toFixed(1)} hours old`,
    })
  return checkProblem(
    'warn',
    'backups',
    hours === undefined
      ? { zh: `${folder} 中没有备份`, en: `${folder} holds no backup` }
      : {
          zh: `最近一次备份在 ${hours.toFixed(1)} 小时前，应每 ${intervalHours} 小时一次`,
          en: `the newest backup is ${hours.toFixed(1)} hours old; one is due every ${intervalHours} hours`,
        },
    {
      zh: '在网关日志中查找 "the backup failed"；网关启动一分钟后进行首次备份',
      en: 'look for "the backup failed" in the log of the gateway; the first backup is made a minute after its start',
    },
  )
}
