import { handle, type Route } from '#server/api/handle.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { programCommand } from '#server/core/executable.ts'
import { type Command, defineFeature } from '#server/feature.ts'
import { createBackup, getBackups } from '../contract.ts'
import { type Backups, createBackups } from './backups.ts'

const backupError = apiErrors('option', {
  no_backup_folder: {
    zh: '未设置环境变量 BACKUP_DIR，无法备份',
    en: 'set the environment variable BACKUP_DIR first: it names the folder for backups',
  },
  backup_running: { zh: '正在备份，请稍候', en: 'a backup is being made already' },
})

/** Exported for tests: backups in a test have no program to run. */
export const createRoutes = (backups: Pick<Backups, 'state' | 'start'>): readonly Route[] => [
  handle(getBackups, async () => backups.state()),

  handle(createBackup, async ({ log, caller, requestId }) => {
    if (!backups.state().is_configured) throw backupError('no_backup_folder')
    if (!backups.start()) throw backupError('backup_running')
    log.info('a backup was requested', { request_id: requestId, user_id: caller.id })
    return backups.state()
  }),
]

const backup: Command = {
  summary: 'copy the database to a file while the gateway serves, and check the copy',
  usage: `Usage: tollgate backup FILE [--key FILE]
       tollgate backup FOLDER [--key FILE] [--keep N]

Copies the database to a file while the gateway serves, opens the copy and recomputes its balances. The file is a SQLite
database, also when the gateway uses PostgreSQL. Exits with 1 when the copy cannot be made or its books do not balance.

  FOLDER           the file is named after the time
  --keep N         keep only the newest N such files of the folder
  --key FILE       write the secret key to a file of its own, to be stored apart from the backup

BACKUP_DIR makes the gateway do this by itself: docs/operations/backup.md.
`,
  takesArguments: true,
  run: async (...given) => (await import('./cli/backup.ts')).backup(...given),
}

const compact: Command = {
  summary: 'give the space of deleted rows back to the disk',
  usage: `Usage: tollgate compact

Writes the embedded database anew, without the space of deleted log rows, which one of this version gives back by itself.
Stop the gateway first. Needs twice the size of the database as free space. PostgreSQL needs no such command.
`,
  takesArguments: false,
  run: async (...given) => (await import('./cli/compact.ts')).compact(...given),
}

const restore: Command = {
  summary: 'make a backup the database of this installation',
  usage: `Usage: tollgate restore FILE [--key FILE] [--replace]

Makes a backup the database of this installation: the file in DATA_DIR, or the empty PostgreSQL database of DATABASE_URL,
whichever the backup was made of. Stop the gateway first. Everything is checked before the first change.

  --key FILE       the secret key that was stored with the backup; becomes that of this installation if it has none
  --replace        put the backup in the place of the embedded database, which is kept under another name
`,
  takesArguments: true,
  run: async (...given) => (await import('./cli/restore.ts')).restore(...given),
}

export const feature = defineFeature({
  commands: { backup, restore, compact },
  start({ backup: config, log }) {
    const backups = createBackups({ backup: config, log, command: programCommand })
    return { routes: createRoutes(backups), jobs: [backups.schedule], stop: backups.stop }
  },
})
