import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { insertTask } from '#server/testing/insert-task.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { listSelfTasks, listTasks } from '../../contract.ts'

let app: TestApp
let admin: TestClient
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  admin = await app.addUser({ username: 'admin', role: 'admin' })
  anna = await app.addUser({ username: 'anna' })
})
afterEach(() => app.close())

const music = { platform: 'suno', action: 'MUSIC' } as const

describe('200', () => {
  test('returns a task with times in seconds and its songs as JSON', async () => {
    const detail = JSON.stringify([{ id: 'clip', audio_url: 'https://cdn.example/1.mp3' }])
    await insertTask(app.db, { ...music, task_id: 't', user_id: anna.id, prompt: 'the sea', detail })
    expect((await admin.call(listTasks)).data).toEqual([
      {
        id: 1,
        created_at: 1,
        updated_at: 1,
        task_id: 't',
        platform: 'suno',
        user_id: anna.id,
        channel_id: 1,
        quota: 50_000,
        action: 'MUSIC',
        status: 'SUCCESS',
        fail_reason: '',
        submit_time: 1,
        start_time: 2,
        finish_time: 3,
        progress: '100%',
        properties: { input: 'the sea' },
        data: [{ id: 'clip', audio_url: 'https://cdn.example/1.mp3' }],
      },
    ])
  })

  test('returns null data for a task without a result', async () => {
    await insertTask(app.db, { ...music, detail: '' })
    expect((await admin.call(listTasks)).data).toMatchObject([{ data: null }])
  })

  test("lists only the caller's tasks, without channels", async () => {
    await insertTask(app.db, { ...music, user_id: anna.id, task_id: 'own', channel_id: 7 })
    await insertTask(app.db, { ...music, user_id: admin.id, task_id: 'other' })
    const { data, envelope } = await anna.call(listSelfTasks)
    expect(data).toMatchObject([{ task_id: 'own', channel_id: 0 }])
    expect(envelope.total).toBe(1)
  })

  test.each([
    [{ channel_id: 2 }, ['b']],
    [{ task_id: 'c' }, ['c']],
    [{ status: 'FAILURE' }, ['c']],
    [{ action: 'LYRICS' }, ['b']],
    [{ platform: 'suno' }, ['c', 'b', 'a']],
    [{ platform: 'mj' }, []],
    [{ start_timestamp: 2 }, ['c', 'b']],
    [{ end_timestamp: 2 }, ['b', 'a']],
    [{ p: 1, page_size: 2 }, ['a']],
  ])('filters by %j and returns newest first: %j', async (query, expected) => {
    await insertTask(app.db, { ...music, task_id: 'a' })
    await insertTask(app.db, {
      ...music,
      task_id: 'b',
      channel_id: 2,
      action: 'LYRICS',
      submit_time_ms: 2900,
    })
    await insertTask(app.db, { ...music, task_id: 'c', status: 'FAILURE', submit_time_ms: 3000 })
    await insertTask(app.db, { task_id: 'drawing' })
    const { data } = await admin.call(listTasks, { query })
    expect(data.map(task => task.task_id)).toEqual(expected)
  })
})

test('rejects a user who lists the tasks of all users', async () => {
  expect(await anna.call(listTasks)).toMatchObject({ success: false, code: 'auth.no_permission' })
})
