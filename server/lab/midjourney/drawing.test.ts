import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { fetchFromLab, readRecorded, shapeDifference } from '../testing.ts'

let now = 1_751_300_000_000
let restore: () => void
beforeEach(() => {
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
})
afterEach(() => restore())

const KEY = { 'mj-api-secret': 'lab' }
const post = async (path: string, body: unknown) => (await fetchFromLab(path, KEY, body)).json()
const imagine = async (prompt: string): Promise<string> =>
  (await post('/mj/submit/imagine', { prompt, state: 'ref' })).result
const find = async (id: string) => (await post('/mj/task/list-by-condition', { ids: [id] }))[0]

test('a drawing progresses with time and finishes in the recorded shape', async () => {
  const id = await imagine('a lighthouse')
  expect(await find(id)).toMatchObject({ id, status: 'SUBMITTED', progress: '0%', imageUrl: '' })
  now += 500
  expect(await find(id)).toMatchObject({ status: 'IN_PROGRESS', progress: '50%' })
  now += 500
  const done = await find(id)
  expect(done).toMatchObject({ status: 'SUCCESS', progress: '100%', state: 'ref', finishTime: now })
  const recorded: unknown = JSON.parse(readRecorded('midjourney', 'task-success.json'))
  expect(shapeDifference(done, recorded, [/^missing [.](properties|buttons)/])).toEqual([])
})

test.each([
  ['task-ms-5000', 'IN_PROGRESS', '40%'],
  ['task-fail', 'FAILURE', '100%'],
  ['task-stuck', 'IN_PROGRESS', '46%'],
])('a drawing with %s is %s at %s after two seconds', async (fault, status, progress) => {
  const id = await imagine(`a [lab: ${fault}]`)
  now += 2000
  expect(await find(id)).toMatchObject({ status, progress })
})

test('a lost drawing is unknown', async () => {
  const id = await imagine('a [lab: task-lost]')
  expect(await post('/mj/task/list-by-condition', { ids: [id] })).toEqual([])
})

test.each([3, 22, 23])('a drawing submission returns the requested code %d', async code => {
  expect(await post('/mj/submit/imagine', { prompt: `a [lab: task-code-${code}]` })).toMatchObject({ code })
})

test('an inpaint task waits for its modal dialog and continues under its own id', async () => {
  const origin = await imagine('a')
  const { code, result } = await post('/mj/submit/action', { taskId: origin, customId: 'MJ::Inpaint::1::h' })
  now += 60_000
  expect([code, (await find(result)).status]).toEqual([21, 'MODAL'])
  await post('/mj/submit/modal', { taskId: result, prompt: 'b' })
  now += 1000
  expect(await find(result)).toMatchObject({ status: 'SUCCESS', prompt: 'b' })
})

test('rejects a change of an unknown drawing', async () => {
  expect(await post('/mj/submit/change', { taskId: 'none', action: 'UPSCALE', index: 1 })).toMatchObject({
    code: 4,
  })
})

test('upscales an image once and returns the existing task for a second submission', async () => {
  const change = { taskId: await imagine('a'), action: 'UPSCALE', index: 2 }
  const { code, result } = await post('/mj/submit/change', change)
  now += 1000
  expect([code, await post('/mj/submit/change', change)]).toMatchObject([
    1,
    { code: 21, result, properties: { status: 'SUCCESS' } },
  ])
})

test('returns the image seed of a drawing', async () => {
  const seed = await fetchFromLab(`/mj/task/${await imagine('a')}/image-seed`, KEY)
  expect(await seed.json()).toEqual(JSON.parse(readRecorded('midjourney', 'image-seed.json')))
})

test('rejects a drawing submission without a key', async () => {
  expect((await fetchFromLab('/mj/submit/imagine', {}, { prompt: 'a' })).status).toBe(401)
})
