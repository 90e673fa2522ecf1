import { everyMs, nowMs } from '#server/core/clock.ts'
import type { Logger } from '#server/core/logger.ts'
import { isBackupInProgress, listBackups } from '#server/db/copy/backup-folder.ts'
import type { BackupState } from '../contract.ts'

const CHECK_MS = 60_000
const HOUR_MS = 3_600_000
/** A backup that fails may have worked for long. */
const RETRY_MS = HOUR_MS
const OUTPUT_CHARACTERS_MAX = 1000

interface BackupDeps {
  readonly backup: {
    readonly folder: string | undefined
    readonly intervalHours: number
    readonly keep: number
  }
  readonly log: Logger
  /** The command line that runs this program with arguments. */
  readonly command: (args: readonly string[]) => string[]
}

/** Backups that the gateway makes by itself or on request, in a process of their own at a low priority. */
export interface Backups {
  state(): BackupState
  /** Begins a backup. Returns false when there is no folder for it, or one is being made. */
  start(): boolean
  /**
   * Makes a backup whenever the newest one is too old. Processes that share the folder take turns by a lock. Returns a
   * function that ends the schedule.
   */
  schedule(checkMs?: number): () => Promise<void>
  /** Ends a backup in progress; afterwards none can be started. */
  stop(): Promise<void>
}

export function createBackups(deps: BackupDeps): Backups {
  const { folder, intervalHours, keep } = deps.backup
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let retryAtMs = 0
  let failure = ''
  const files = () => (folder === undefined ? [] : listBackups(folder, 'tollgate'))
  const isRunning = () => running !== undefined || (folder !== undefined && isBackupInProgress(folder))
  const make = async (target: string) => {
    failure = await runBackup(deps, target, stopping.signal)
    if (failure !== '') retryAtMs = nowMs() + RETRY_MS
  }
  const start = (): boolean => {
    if (folder === undefined || isRunning() || stopping.signal.aborted) return false
    running = make(folder).finally(() => {
      running = undefined
    })
    return true
  }
  return {
    state: () => ({
      is_configured: folder !== undefined,
      interval_hours: intervalHours,
      keep,
      is_running: isRunning(),
      failure,
      backups: files().map(({ name, bytes, createdAtMs }) => ({
        name,
        bytes,
        created_at: Math.floor(createdAtMs / 1000),
      })),
    }),
    start,
    schedule: (checkMs = CHECK_MS) =>
      everyMs(checkMs, async () => {
        const newestMs = files()[0]?.createdAtMs ?? 0
        if (nowMs() >= Math.max(newestMs + intervalHours * HOUR_MS, retryAtMs)) start()
      }),
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Returns the command's output when it failed, else an empty text. */
async function runBackup(
  { backup, log, command }: BackupDeps,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const child = Bun.spawn(command(['backup', `${folder}/`, '--keep', String(backup.keep)]), {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const output = `${stdout}${stderr}`.trim().slice(0, OUTPUT_CHARACTERS_MAX)
  if (code === 0) log.info('a backup was made', { output })
  if (code === 0 || signal.aborted) return ''
  log.error('the backup failed', { output })
  return output || `exit code ${code}`
}
