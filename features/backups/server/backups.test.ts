import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nowSeconds } from '#server/core/clock.ts'
import { createLogger } from '#server/core/logger.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { createBackups } from './backups.ts'

const CHECK_MS = 5
const TIMEOUT_MS = 20_000
const DAY_SECONDS = 86_400

let folder: TemporaryFolder
let lines: string[]

beforeEach(() => {
  folder = makeTemporaryFolder()
  lines = []
})
afterEach(() => folder.remove())

const log = createLogger({ level: 'info', isPretty: false, write: line => lines.push(line) })

/** Runs a script in place of `tollgate backup`, since this process is a test and not the program. */
function start(script: string) {
  const backups = createBackups({
    backup: { folder: folder.path, intervalHours: 24, keep: 2 },
    log,
    command: args => ['sh', '-c', script, ...args],
  })
  const stopSchedule = backups.schedule(CHECK_MS)
  return {
    ...backups,
    async stop() {
      await stopSchedule()
      await backups.stop()
    },
  }
}

const addBackup = (name: string, ageSeconds: number): void => {
  const path = join(folder.path, name)
  writeFileSync(path, '')
  utimesSync(path, nowSeconds() - ageSeconds, nowSeconds() - ageSeconds)
}

test('makes a backup when the newest is older than the interval, once', async () => {
  addBackup('tollgate-2026-01-01T00-00-00Z.db', 2 * DAY_SECONDS)
  const backups = start('echo "$0 $1 $2 $3" && touch "$1/tollgate-2026-11-26T00-00-00Z.db"')
  await waitUntil({ description: 'a log line', timeoutMs: TIMEOUT_MS }, () => lines.length > 0)
  await Bun.sleep(10 * CHECK_MS)
  await backups.stop()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('a backup was made')
  expect(lines[0]).toContain(`backup ${folder.path}/ --keep 2`)
})

test('makes no backup while the newest is recent', async () => {
  addBackup('tollgate-2026-01-01T00-00-00Z.db', DAY_SECONDS / 2)
  const backups = start('touch "$1/made"')
  await Bun.sleep(10 * CHECK_MS)
  await backups.stop()
  expect(readdirSync(folder.path)).toEqual(['tollgate-2026-01-01T00-00-00Z.db'])
})

test('logs why a scheduled backup failed, and stops a backup in progress at once', async () => {
  const backups = start('echo "the disk is full" >&2; exit 1')
  await waitUntil({ description: 'a log line', timeoutMs: TIMEOUT_MS }, () => lines.length > 0)
  await backups.stop()
  expect(lines[0]).toMatch(/the backup failed.+the disk is full/)

  const startedAt = performance.now()
  const slow = start('exec sleep 60')
  await Bun.sleep(20 * CHECK_MS)
  await slow.stop()
  expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS)
})

test('makes a backup on request, one at a time, and reports it', async () => {
  addBackup('tollgate-2026-01-01T00-00-00Z.db', 60)
  const backups = start('sleep 0.1; printf 12345 >"$1/tollgate-2026-11-26T00-00-00Z.db"')
  expect(backups.state()).toMatchObject({ is_configured: true, is_running: false, failure: '', keep: 2 })
  expect([backups.start(), backups.start()]).toEqual([true, false])
  expect(backups.state().is_running).toBe(true)
  await waitUntil({ description: 'the backup', timeoutMs: TIMEOUT_MS }, () => !backups.state().is_running)
  expect(backups.state().backups.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['tollgate-2026-11-26T00-00-00Z.db', 5],
    ['tollgate-2026-01-01T00-00-00Z.db', 0],
  ])
  await backups.stop()
})

test('reports a backup that another process writes to the folder', async () => {
  addBackup('tollgate-2026-01-01T00-00-00Z.db', 60)
  addBackup('tollgate-2026-11-26T00-00-00Z.db.partial', 1)
  const backups = start('exit 1')
  expect(backups.state()).toMatchObject({ is_running: true })
  expect(backups.start()).toBe(false)
  await backups.stop()
})

test('makes no backup without a folder', async () => {
  const backup = { folder: undefined, intervalHours: 24, keep: 2 }
  const backups = createBackups({ backup, log, command: () => ['false'] })
  expect(backups.start()).toBe(false)
  expect(backups.state()).toMatchObject({ is_configured: false, backups: [] })
  await backups.stop()
})
