import { everyMs, nowMs } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import { newestBackupMs } from '../db/backup/backup-folder.ts'

const CHECK_MS = 60_000
const HOUR_MS = 3_600_000
/** A backup that fails may have worked for long. */
const RETRY_MS = HOUR_MS
const OUTPUT_CHARACTERS_MAX = 1000

interface ScheduledBackupDeps {
  readonly backup: {
    readonly folder: string | undefined
    readonly intervalHours: number
    readonly keep: number
  }
  readonly log: Logger
  /** The command line that runs this program with arguments. */
  readonly command: (args: readonly string[]) => string[]
}

/**
 * Makes a backup whenever the newest one is too old, in a process of its own at a low priority. Processes that share the folder
 * take turns by a lock. The returned function stops the job, and a backup in progress.
 */
export function startScheduledBackups(
  { backup, log, command }: ScheduledBackupDeps,
  checkMs = CHECK_MS,
): () => Promise<void> {
  const { folder, intervalHours, keep } = backup
  if (folder === undefined) return async () => undefined
  const stopping = new AbortController()
  let retryAtMs = 0
  const stop = everyMs(checkMs, async () => {
    const newestMs = newestBackupMs(folder, 'tollgate') ?? 0
    if (nowMs() < Math.max(newestMs + intervalHours * HOUR_MS, retryAtMs)) return
    const child = Bun.spawn(command(['backup', `${folder}/`, '--keep', String(keep)]), {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: stopping.signal,
    })
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    const output = `${stdout}${stderr}`.trim().slice(0, OUTPUT_CHARACTERS_MAX)
    if (code !== 0) retryAtMs = nowMs() + RETRY_MS
    if (code === 0) log.info('a backup was made', { output })
    else if (!stopping.signal.aborted) log.error('the scheduled backup failed', { output })
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
