import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { askLab, readRecorded, shapeDifference } from '../testing.ts'

let now = 1_751_300_000_000
let restore: () => void
beforeEach(() => {
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
})
afterEach(() => restore())

const KEY = { 'mj-api-secret': 'lab' }
const post = async (path: string, body: unknown) => (await askLab(path, KEY, body)).json()
const imagine = async (prompt: string): Promise<string> =>
  (await post('/mj/submit/imagine', { prompt, state: 'ref' })).result
const find = async (id: string) => (await post('/mj/task/list-by-condition', { ids: [id] }))[0]

test('a drawing goes on with time, and ends as recorded', async () => {
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
])('with %s it is %s at %s after two seconds', async (fault, status, progress) => {
  const id = await imagine(`a [lab: ${fault}]`)
  now += 2000
  expect(await find(id)).toMatchObject({ status, progress })
})

test('what is lost is not known any more', async () => {
  const id = await imagine('a [lab: task-lost]')
  expect(await post('/mj/task/list-by-condition', { ids: [id] })).toEqual([])
})

test.each([3, 22, 23])('answers the code %d when asked to', async code => {
  expect(await post('/mj/submit/imagine', { prompt: `a [lab: task-code-${code}]` })).toMatchObject({ code })
})

test('a window waits until it is filled in, and goes on under its own id', async () => {
  const origin = await imagine('a')
  const { code, result } = await post('/mj/submit/action', { taskId: origin, customId: 'MJ::Inpaint::1::h' })
  now += 60_000
  expect([code, (await find(result)).status]).toEqual([21, 'MODAL'])
  await post('/mj/submit/modal', { taskId: result, prompt: 'b' })
  now += 1000
  expect(await find(result)).toMatchObject({ status: 'SUCCESS', prompt: 'b' })
})

test('goes on from what it knows only', async () => {
  expect(await post('/mj/submit/change', { taskId: 'none', action: 'UPSCALE', index: 1 })).toMatchObject({
    code: 4,
  })
})

test('enlarges a picture once, and shows what is there to who asks again', async () => {
  const change = { taskId: await imagine('a'), action: 'UPSCALE', index: 2 }
  const { code, result } = await post('/mj/submit/change', change)
  now += 1000
  expect([code, await post('/mj/submit/change', change)]).toMatchObject([
    1,
    { code: 21, result, properties: { status: 'SUCCESS' } },
  ])
})

test('tells the seed of what it drew', async () => {
  const seed = await askLab(`/mj/task/${await imagine('a')}/image-seed`, KEY)
  expect(await seed.json()).toEqual(JSON.parse(readRecorded('midjourney', 'image-seed.json')))
})

test('wants a key', async () => {
  expect((await askLab('/mj/submit/imagine', {}, { prompt: 'a' })).status).toBe(401)
})
