import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { fetchFromLab, readRecorded, shapeDifference } from '../testing.ts'

let now = 1_751_300_000_000
let restore: () => void
beforeEach(() => {
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
})
afterEach(() => restore())

const KEY = { authorization: 'Bearer lab' }
const post = async (path: string, body: unknown) => (await fetchFromLab(path, KEY, body)).json()
const find = async (id: string) => (await post('/suno/fetch', { ids: [id] })).data[0]

test('a song is accepted and finishes in the recorded shape', async () => {
  const submitted = await post('/suno/submit/MUSIC', { gpt_description_prompt: 'the sea' })
  expect(shapeDifference(submitted, JSON.parse(readRecorded('suno', 'submit.json')))).toEqual([])
  expect(await find(submitted.data)).toMatchObject({ status: 'SUBMITTED', progress: '0%', data: null })
  now += 1000
  const done = await post('/suno/fetch', { ids: [submitted.data] })
  expect(done.data[0]).toMatchObject({ status: 'SUCCESS', progress: '100%', action: 'MUSIC' })
  const recorded: unknown = JSON.parse(readRecorded('suno', 'fetch-success.json'))
  expect(shapeDifference(done, recorded, [/^missing .*[.]data\[\][.]/])).toEqual([])
})

test('finished lyrics are an object', async () => {
  const { data: id } = await post('/suno/submit/LYRICS', { prompt: 'a keeper' })
  now += 1000
  expect((await find(id)).data).toMatchObject({ status: 'complete', text: '[Verse 1]\na keeper' })
})

test('a music task fails or is rejected on request', async () => {
  const { data: id } = await post('/suno/submit/MUSIC', { prompt: 'a [lab: task-fail]' })
  now += 1000
  expect(await find(id)).toMatchObject({ status: 'FAILURE', fail_reason: 'moderation failure' })
  expect(await post('/suno/submit/MUSIC', { prompt: 'a [lab: task-code-1]' })).toMatchObject({
    code: 'fail_to_fetch_task',
    data: null,
  })
})

test('rejects a music submission without a key in the bridge’s own error format', async () => {
  const rejected = await fetchFromLab('/suno/submit/MUSIC', {}, { prompt: 'a' })
  expect([rejected.status, await rejected.json()]).toMatchObject([
    401,
    { code: 'fail_to_fetch_task', data: null },
  ])
})
