import { afterEach, beforeEach, expect, test } from 'bun:test'
import { migrations } from '#server/testing/migrations.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { nowMs, sleepMs } from '../../core/clock.ts'
import { createLogger, noopLogger } from '../../core/logger.ts'
import { migrate, type OpenDatabase, openDatabase } from '../../db/engine/database.ts'
import { openTestDatabase } from '../../db/testing.ts'
import { insertTask } from '../../testing/insert-task.ts'
import { startTaskPolling } from './polling.ts'

let database: OpenDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

test('polls again at once while tasks are due', async () => {
  const due = [500, 500, 3, 0]
  const finished = Promise.withResolvers<void>()
  const stop = startTaskPolling({ database, log: noopLogger }, async () => {
    const count = due.shift() ?? 0
    if (due.length === 0) finished.resolve()
    return count
  })
  await finished.promise
  await stop()
  expect(due).toEqual([])
})

test('logs a failed poll and goes on polling', async () => {
  const finished = Promise.withResolvers<void>()
  let polls = 0
  let logged = ''
  const log = createLogger({
    level: 'error',
    isPretty: false,
    write: line => {
      logged += line
    },
  })
  const stop = startTaskPolling({ database, log }, async () => {
    polls += 1
    if (polls === 1) throw new Error('the database is down')
    finished.resolve()
    return 0
  })
  await finished.promise
  await stop()
  expect(logged).toContain('tasks could not be polled')
})

test('aborts the poll in progress when it stops, and waits for it', async () => {
  const started = Promise.withResolvers<void>()
  let hasEnded = false
  const stop = startTaskPolling(
    { database, log: noopLogger },
    signal =>
      new Promise(resolve => {
        started.resolve()
        signal.addEventListener('abort', () => {
          hasEnded = true
          resolve(1)
        })
      }),
  )
  await started.promise
  await stop()
  expect(hasEnded).toBe(true)
})

test('looks for tasks again when one is due or the database has changed', async () => {
  const sqlite = openDatabase({ url: ':memory:', durability: 'process' }, migrations)
  await migrate(sqlite)
  let looks = 0
  const stop = startTaskPolling({ database: sqlite, log: noopLogger }, async () => {
    looks += 1
    return 0
  })
  await waitUntil({ description: 'the first looks', timeoutMs: 5000 }, () => looks === 2)
  await sleepMs(2500)
  expect(looks).toBe(2)
  await insertTask(sqlite.db, { due_ms: nowMs() + 3_600_000 })
  await waitUntil({ description: 'a look after the change', timeoutMs: 5000 }, () => looks === 3)
  await sqlite.db
    .updateTable('tasks')
    .set({ due_ms: nowMs() + 2500 })
    .execute()
  await waitUntil({ description: 'looks while the task is due', timeoutMs: 10_000 }, () => looks >= 6)
  await stop()
  await sqlite.close()
})
