import { afterEach, beforeEach, expect, test } from 'bun:test'
import { findTaskByProviderId } from '#features/drawing/server/queries.ts'
import { insertTask } from '../../testing/insert-task.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { openTestDatabase } from '../testing.ts'
import { claimDueTasks, setTaskOutcome, updateTask } from './tasks.ts'

const NOW = 1_000_000
const CLAIMERS = 8
const TASKS = 100

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const claim = (limit: number, nowMs = NOW) =>
  claimDueTasks(opened.db, { nowMs, untilMs: nowMs + 30_000, limit })

const insertDue = (due_ms: number | null = NOW) => insertTask(opened.db, { outcome: 'open', due_ms })

const update = {
  status: 'SUCCESS',
  progress: '100%',
  fail_reason: 'with a \0 inside',
  detail: '{}',
  submit_time_ms: 1,
  start_time_ms: 2,
  finish_time_ms: 3,
  updated_at_ms: 4,
  due_ms: 5,
}

test('never gives a task to two concurrent claims', async () => {
  for (let index = 0; index < TASKS; index += 1) await insertDue()
  const taken = await Promise.all(Array.from({ length: CLAIMERS }, () => claim(TASKS / 4)))
  const ids = taken.flat().map(row => row.id)
  expect(new Set(ids).size).toBe(ids.length)
  while (ids.length < TASKS) {
    const more = await claim(TASKS)
    expect(more).not.toEqual([])
    ids.push(...more.map(row => row.id))
  }
  expect(new Set(ids).size).toBe(TASKS)
  expect(await claim(TASKS)).toEqual([])
})

test('makes a claimed task due again when its lease ends', async () => {
  const id = await insertDue()
  expect(await claim(10)).toHaveLength(1)
  expect(await claim(10, NOW + 29_999)).toEqual([])
  expect(await claim(10, NOW + 30_000)).toMatchObject([{ id }])
})

test('does not claim tasks that are not due or are closed', async () => {
  await insertDue(NOW + 1)
  await insertDue(null)
  expect(await claim(10)).toEqual([])
})

test('sets the outcome of a task once and ignores later updates', async () => {
  const id = await insertDue()
  const results = await Promise.all(
    (['succeeded', 'failed', 'succeeded'] as const).map(outcome =>
      setTaskOutcome(opened.db, id, { ...update, outcome, quota: 1 }),
    ),
  )
  expect(results.filter(Boolean)).toHaveLength(1)
  await updateTask(opened.db, id, { ...update, status: 'IN_PROGRESS' })
  const row = await opened.db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ status: 'SUCCESS', fail_reason: 'with a  inside' })
})

test('finds the newest of several tasks with the same provider id', async () => {
  await insertTask(opened.db, { task_id: '7', prompt: 'old' })
  await insertTask(opened.db, { task_id: '7', prompt: 'new' })
  expect(await findTaskByProviderId(opened.db, 'mj', '7')).toMatchObject({ prompt: 'new' })
})
