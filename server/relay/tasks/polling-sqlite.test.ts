import { expect, test } from 'bun:test'
import { migrations } from '#server/testing/migrations.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { nowMs, sleepMs } from '../../core/clock.ts'
import { noopLogger } from '../../core/logger.ts'
import { migrate, openDatabase } from '../../db/engine/database.ts'
import { insertTask } from '../../testing/insert-task.ts'
import { startTaskPolling } from './polling.ts'

test('on SQLite, looks for tasks again when one is due or the database has changed', async () => {
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
