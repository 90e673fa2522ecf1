import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLogger, noopLogger } from '../../core/logger.ts'
import type { OpenDatabase } from '../../db/engine/database.ts'
import { openTestDatabase } from '../../db/testing.ts'
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
