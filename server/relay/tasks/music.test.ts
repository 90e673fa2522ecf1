import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { followTasks } from './follow-tasks.ts'

const WALLET = 1_000_000
const SONG = 50_000
const STARTED_MS = 1_750_000_000_000
const NEVER = new AbortController().signal

let relay: TestRelay
let key: string
let now = STARTED_MS
let restore: () => void

beforeEach(async () => {
  now = STARTED_MS
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  relay = await TestRelay.open()
  const settings = relay.context.settings.current()
  const prices = { ...settings.prices, modelPrice: { suno_music: 0.1, suno_lyrics: 0.01 } }
  Object.assign(settings, { prices })
  await relay.addChannel({ type: 36, models: 'suno_music,suno_lyrics' })
  key = await relay.addToken()
})
afterEach(async () => {
  const { drift, findings } = await auditLedger(relay.db)
  await relay.close()
  restore()
  expect({ drift, findings }).toEqual({ drift: 0, findings: [] })
})

const call = async (path: string, body?: unknown) => {
  const response = await relay.request(path, key, body)
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}
const compose = async (prompt = 'the sea') =>
  (await call('/suno/submit/music', { gpt_description_prompt: prompt })).json.data
const pass = async (ms: number) => {
  now += ms
  while ((await followTasks(relay.context, NEVER)) > 0);
}
const walletOf = () =>
  relay.db.selectFrom('users').select(['quota', 'held_quota', 'used_quota']).executeTakeFirstOrThrow()
const rowsOf = () => relay.db.selectFrom('tasks').selectAll().orderBy('id').execute()
const failOn = async (fault: string) => {
  await relay.db
    .updateTable('channels')
    .set({ base_url: `http://lab.test/fault/${fault}` })
    .execute()
  await relay.context.channels.refresh()
}

describe('a song', () => {
  test('is held, followed in seconds, and charged once when it is finished', async () => {
    const { status, json } = await call('/suno/submit/music', { gpt_description_prompt: 'the sea' })
    expect([status, json]).toMatchObject([200, { code: 'success', message: '' }])
    expect(await walletOf()).toEqual({ quota: WALLET - SONG, held_quota: SONG, used_quota: 0 })
    expect((await call(`/suno/fetch/${json.data}`)).json).toMatchObject({
      code: 'success',
      data: { task_id: json.data, action: 'MUSIC', status: 'NOT_START', progress: '0%', data: null },
    })
    await pass(5000)
    await pass(60_000)
    expect((await call(`/suno/fetch/${json.data}`)).json).toMatchObject({
      data: {
        status: 'SUCCESS',
        progress: '100%',
        submit_time: STARTED_MS / 1000,
        finish_time: STARTED_MS / 1000 + 1,
        data: [{ id: `${json.data}-1` }, { id: `${json.data}-2` }],
      },
    })
    expect(await walletOf()).toEqual({ quota: WALLET - SONG, held_quota: 0, used_quota: SONG })
    const logs = await relay.db.selectFrom('logs').selectAll().execute()
    expect(logs).toMatchObject([{ type: 2, model_name: 'suno_music', content: `MUSIC ${json.data}` }])
  })

  test('that fails is given back', async () => {
    const id = await compose('the sea [lab: task-fail]')
    await pass(5000)
    expect((await call(`/suno/fetch/${id}`)).json).toMatchObject({
      data: { status: 'FAILURE', fail_reason: 'moderation failure', progress: '100%' },
    })
    expect(await walletOf()).toEqual({ quota: WALLET, held_quota: 0, used_quota: 0 })
  })

  test('that never ends fails after an hour', async () => {
    await compose('the sea [lab: task-stuck]')
    await pass(3_600_000)
    expect(await rowsOf()).toMatchObject([{ outcome: 'failed' }])
    expect(await walletOf()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('that goes on from another goes to the channel that made it, with its key', async () => {
    const origin = await compose()
    await pass(5000)
    await relay.addChannel({ type: 36, models: 'suno_music', priority: 9 })
    const more = { continue_clip_id: `${origin}-1`, continue_at: 120, task_id: origin, infill_start_s: 3 }
    expect((await call('/suno/submit/MUSIC', more)).json).toMatchObject({ code: 'success' })
    const [first, second] = await rowsOf()
    expect(second?.channel_id).toBe(first?.channel_id ?? 0)
    await pass(5000)
  })
})

test('lyrics cost what lyrics cost, and are an object', async () => {
  const { json } = await call('/suno/submit/lyrics', { prompt: 'a keeper' })
  await pass(5000)
  expect((await call(`/suno/fetch/${json.data}`)).json).toMatchObject({
    data: { action: 'LYRICS', data: { text: '[Verse 1]\na keeper' } },
  })
  expect(await walletOf()).toMatchObject({ used_quota: 5000 })
})

test('the body goes through with unknown fields and the usual version', async () => {
  const { send } = relay.context
  let sent: unknown
  Object.assign(relay.context, {
    send: (request: Parameters<typeof send>[0], options: Parameters<typeof send>[1]) => {
      sent = { ...request, body: JSON.parse(String(request.body)) }
      return send(request, options)
    },
  })
  await call('/suno/submit/music', { prompt: 'x', persona_id: 'p', mv: '' })
  expect(sent).toMatchObject({
    url: 'http://lab.test/lab/suno/submit/MUSIC',
    headers: { authorization: 'Bearer lab' },
    body: { prompt: 'x', persona_id: 'p', mv: 'chirp-v3-0' },
  })
})

test.each([
  ['/suno/submit/dance', { prompt: 'x' }, 'invalid_request', 'invalid_action'],
  ['/suno/submit/lyrics', {}, 'invalid_request', 'prompt_empty'],
  ['/suno/submit/music', { continue_clip_id: 'c' }, 'invalid_request', 'task_id'],
  ['/suno/submit/music', { continue_clip_id: 'c', task_id: 'none' }, 'task_not_exist', 'none'],
  ['/suno/submit/music', '[]', 'invalid_request', 'object'],
  ['/suno/fetch/none', undefined, 'task_not_exist', 'task_not_exist'],
])('%s with %j is refused: %s', async (path, body, code, message) => {
  const answer = await call(path, body)
  expect(answer).toMatchObject({ status: 400, json: { code, data: null } })
  expect(answer.json.message).toContain(message)
  expect(await rowsOf()).toEqual([])
})

test.each([
  ['status-503', 503, 'fail_to_fetch_task'],
  ['status-429', 429, '429'],
  ['task-code-1', 500, 'fail_to_fetch_task'],
  ['garbage', 502, 'fail_to_fetch_task'],
])('a vendor that answers with %s: %d %s, and nothing is charged', async (fault, status, code) => {
  await failOn(fault)
  expect(await call('/suno/submit/music', { prompt: 'x' })).toMatchObject({
    status,
    json: { code, data: null },
  })
  expect(await walletOf()).toEqual({ quota: WALLET, held_quota: 0, used_quota: 0 })
})

test('another channel is tried when one fails, where retries are wanted', async () => {
  Object.assign(relay.context.settings.current(), { retryTimes: 1 })
  await failOn('status-500')
  const second = await relay.addChannel({ type: 36, models: 'suno_music', priority: -1 })
  expect((await call('/suno/submit/music', { prompt: 'x' })).json).toMatchObject({ code: 'success' })
  expect(await rowsOf()).toMatchObject([{ channel_id: second }])
  await pass(5000)
})

test('many are read at once, others’ and unknown ones left out', async () => {
  const [first, second, other] = [await compose(), await compose(), await compose()]
  await relay.db.updateTable('tasks').set({ user_id: 99 }).where('task_id', '=', String(other)).execute()
  const { json } = await call('/suno/fetch', { ids: [first, second, other, 'none'] })
  expect((json.data as { task_id: string }[]).map(task => task.task_id).sort()).toEqual(
    [first, second].map(String).sort(),
  )
  expect((await call('/suno/fetch', { ids: [] })).json).toEqual({ code: 'success', message: '', data: [] })
  await relay.db.updateTable('tasks').set({ user_id: relay.userId }).execute()
})

test('what cannot be paid is refused with 403 in the words of music clients', async () => {
  key = await relay.addToken({ remain: 10 })
  expect(await call('/suno/submit/music', { prompt: 'x' })).toMatchObject({
    status: 403,
    json: { code: 'quota_not_enough', message: 'the token has 10 units left, 50000 are needed', data: null },
  })
})

test('music that is closed is not relayed', async () => {
  const settings = relay.context.settings.current()
  Object.assign(settings, { tasks: { ...settings.tasks, isMusicOpen: false } })
  expect(await call('/suno/submit/music', { prompt: 'x' })).toMatchObject({
    status: 403,
    json: { code: 'closed' },
  })
})
