import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { putOptions } from '#contract/options/options.ts'
import { insertTask } from '#server/testing/insert-task.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { listDrawings, listSelfDrawings } from '../../contract.ts'

let app: TestApp
let admin: TestClient
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  admin = await app.addUser({ username: 'admin', role: 'admin' })
  anna = await app.addUser({ username: 'anna' })
})
afterEach(() => app.close())

const IMAGE = 'https://cdn.example/1/2/done.png'
const detail = JSON.stringify({
  promptEn: 'a lighthouse --ar 16:9',
  state: 'ref-1',
  description: 'submitted',
  imageUrl: IMAGE,
  buttons: [{ customId: 'MJ::JOB::upsample::1::h', label: 'U1' }],
  properties: { finalPrompt: 'p' },
})
const idsOf = (drawings: readonly { mj_id: string }[]) => drawings.map(drawing => drawing.mj_id)
const store = (key: string, value: string) => app.root.call(putOptions, { body: [{ key, value }] })

describe('200', () => {
  test("returns a drawing with the provider's details", async () => {
    await insertTask(app.db, { user_id: anna.id, task_id: '17', channel_id: 7, detail, code: 21 })
    await store('MjForwardUrlEnabled', 'false')
    const { data, envelope } = await admin.call(listDrawings)
    expect(data).toEqual([
      {
        id: 1,
        code: 21,
        user_id: anna.id,
        action: 'IMAGINE',
        mj_id: '17',
        prompt: 'a lighthouse',
        prompt_en: 'a lighthouse --ar 16:9',
        description: 'submitted',
        state: 'ref-1',
        submit_time: 1000,
        start_time: 2000,
        finish_time: 3000,
        image_url: IMAGE,
        status: 'SUCCESS',
        progress: '100%',
        fail_reason: '',
        channel_id: 7,
        quota: 50_000,
        buttons: '[{"customId":"MJ::JOB::upsample::1::h","label":"U1"}]',
        properties: '{"finalPrompt":"p"}',
      },
    ])
    expect(envelope).toMatchObject({ total: 1, page: 0, page_size: 10 })
  })

  test('returns forwarded image addresses, and none while there is no image', async () => {
    await insertTask(app.db, { task_id: '17', detail })
    await insertTask(app.db, { task_id: '18' })
    await store('ServerAddress', 'https://gate.example')
    const { data } = await admin.call(listDrawings)
    expect(data.map(drawing => drawing.image_url)).toEqual(['', 'https://gate.example/mj/image/17'])
  })

  test("lists only the caller's drawings, without channels", async () => {
    await insertTask(app.db, { user_id: anna.id, task_id: 'own', channel_id: 7 })
    await insertTask(app.db, { user_id: admin.id, task_id: 'other' })
    const { data, envelope } = await anna.call(listSelfDrawings)
    expect(data).toMatchObject([{ mj_id: 'own', channel_id: 0 }])
    expect(envelope.total).toBe(1)
  })

  test('lists no music tasks as drawings', async () => {
    await insertTask(app.db, { platform: 'suno' })
    expect((await admin.call(listDrawings)).data).toEqual([])
  })

  test.each([
    [{ channel_id: 2 }, ['b']],
    [{ mj_id: 'c' }, ['c']],
    [{ status: 'FAILURE' }, ['c']],
    [{ action: 'UPSCALE' }, ['b']],
    [{ start_timestamp: 2000 }, ['c', 'b']],
    [{ end_timestamp: 2000 }, ['b', 'a']],
    [{ start_timestamp: 1500, end_timestamp: 2500 }, ['b']],
    [{ page_size: 2 }, ['c', 'b']],
    [{ p: 1, page_size: 2 }, ['a']],
  ])('filters by %j and returns newest first: %j', async (query, expected) => {
    await insertTask(app.db, { task_id: 'a' })
    await insertTask(app.db, { task_id: 'b', channel_id: 2, action: 'UPSCALE', submit_time_ms: 2000 })
    await insertTask(app.db, { task_id: 'c', status: 'FAILURE', submit_time_ms: 3000 })
    const { data } = await admin.call(listDrawings, { query })
    expect(idsOf(data)).toEqual(expected)
  })
})

test('rejects a user who lists the drawings of all users', async () => {
  expect(await anna.call(listDrawings)).toMatchObject({ success: false, code: 'auth.no_permission' })
})
