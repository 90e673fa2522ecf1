import { resolve } from 'node:path'
import { z } from 'zod'

/** Backups that the gateway makes by itself. */
export interface BackupConfig {
  /** An absolute path. Undefined: no scheduled backups. */
  readonly folder: string | undefined
  readonly intervalHours: number
  /** How many scheduled backups are kept. */
  readonly keep: number
  readonly isMadeBeforeUpgrade: boolean
}

const INTERVAL_HOURS_MAX = 24 * 31
const KEEP_MAX = 1000

const numberUpTo = (max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value >= 1 && value <= max, `must be between 1 and ${max}`)

export const BACKUP_VARIABLES = {
  BACKUP_DIR: z.string().optional(),
  BACKUP_INTERVAL_HOURS: numberUpTo(INTERVAL_HOURS_MAX).default(24),
  BACKUP_KEEP: numberUpTo(KEEP_MAX).default(7),
  BACKUP_BEFORE_UPGRADE: z.enum(['on', 'off'], 'must be on or off').default('on'),
} as const

interface BackupVariables {
  readonly BACKUP_DIR?: string | undefined
  readonly BACKUP_INTERVAL_HOURS: number
  readonly BACKUP_KEEP: number
  readonly BACKUP_BEFORE_UPGRADE: 'on' | 'off'
}

export const readBackupConfig = (variables: BackupVariables): BackupConfig => ({
  folder: variables.BACKUP_DIR === undefined ? undefined : resolve(variables.BACKUP_DIR),
  intervalHours: variables.BACKUP_INTERVAL_HOURS,
  keep: variables.BACKUP_KEEP,
  isMadeBeforeUpgrade: variables.BACKUP_BEFORE_UPGRADE === 'on',
})
