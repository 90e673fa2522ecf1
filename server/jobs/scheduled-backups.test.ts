import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder, type TemporaryFolder } from '../../tests/harness/temporary-folder.ts'
import { waitUntil } from '../../tests/harness/wait-until.ts'
import { nowSeconds } from '../core/clock.ts'
import { createLogger } from '../core/logger.ts'
import { startScheduledBackups } from './scheduled-backups.ts'

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
const start = (script: string) =>
  startScheduledBackups(
    {
      backup: { folder: folder.path, intervalHours: 24, keep: 2 },
      log,
      command: args => ['sh', '-c', script, ...args],
    },
    CHECK_MS,
  )

const addBackup = (name: string, ageSeconds: number): void => {
  const path = join(folder.path, name)
  writeFileSync(path, '')
  utimesSync(path, nowSeconds() - ageSeconds, nowSeconds() - ageSeconds)
}

test('makes a backup when the newest is older than the interval, once', async () => {
  addBackup('tollgate-2026-01-01T00-00-00Z.db', 2 * DAY_SECONDS)
  const stop = start('echo "$0 $1 $2 $3" && touch "$1/tollgate-2026-11-26T00-00-00Z.db"')
  await waitUntil({ description: 'a log line', timeoutMs: TIMEOUT_MS }, () => lines.length > 0)
  await Bun.sleep(10 * CHECK_MS)
  await stop()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('a backup was made')
  expect(lines[0]).toContain(`backup ${folder.path}/ --keep 2`)
})

test('makes no backup while the newest is recent', async () => {
  addBackup('tollgate-2026-01-01T00-00-00Z.db', DAY_SECONDS / 2)
  const stop = start('touch "$1/made"')
  await Bun.sleep(10 * CHECK_MS)
  await stop()
  expect(readdirSync(folder.path)).toEqual(['tollgate-2026-01-01T00-00-00Z.db'])
})

test('logs why a scheduled backup failed, and stops a backup in progress at once', async () => {
  const stop = start('echo "the disk is full" >&2; exit 1')
  await waitUntil({ description: 'a log line', timeoutMs: TIMEOUT_MS }, () => lines.length > 0)
  await stop()
  expect(lines[0]).toMatch(/the scheduled backup failed.+the disk is full/)

  const startedAt = performance.now()
  const stopSlow = start('exec sleep 60')
  await Bun.sleep(20 * CHECK_MS)
  await stopSlow()
  expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS)
})
