import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { flagField, textField } from '#contract/fields.ts'

const BackupFile = z.object({
  name: textField('File name.', 'tollgate-2026-11-25T23-58-34Z.db'),
  bytes: z.int().meta({ description: 'Size in bytes.', example: 397_312 }),
  created_at: z.int().meta({ description: 'When it was made, in Unix seconds.', example: 1_764_115_114 }),
})

const BackupState = z.object({
  is_configured: flagField('`BACKUP_DIR` names a folder for backups.', true),
  interval_hours: z.int().meta({ description: 'Hours between scheduled backups.', example: 24 }),
  keep: z.int().meta({ description: 'Number of scheduled backups that are kept.', example: 7 }),
  is_running: flagField('A backup is being made.', false),
  failure: textField('What the last backup of this process printed when it failed. Empty: it did not.', ''),
  backups: z.array(BackupFile).meta({ description: 'Backups in the folder, newest first.' }),
})
export type BackupState = z.infer<typeof BackupState>

export const getBackups = endpoint({
  method: 'GET',
  path: '/api/option/backups',
  role: 'root',
  summary: 'List the backups of the database',
  description: 'Those in `BACKUP_DIR` of the machine that responds, and whether one is being made.',
  reply: BackupState,
})

export const createBackup = endpoint({
  method: 'POST',
  path: '/api/option/backups',
  role: 'root',
  summary: 'Back up the database',
  description:
    'Starts a backup in the background, as `tollgate backup` makes it: without the secret key. Poll `GET` for its end.',
  reply: BackupState,
})
