import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { followTasks } from '#server/relay/tasks/follow-tasks.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

const WALLET = 1_000_000
const SONG = 50_000
const STARTED_MS = 1_750_000_000_000
const NEVER_ABORTED = new AbortController().signal

let relay: TestRelay
let key: string
let now = STARTED_MS
let restore: () => void

beforeEach(async () => {
  now = STARTED_MS
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  relay = await TestRelay.open()
  const prices = testPrices({ ModelPrice: { suno_music: 0.1, suno_lyrics: 0.01 } })
  Object.assign(relay.context.settings.current(), { prices })
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
const submitSong = async (prompt = 'the sea') =>
  (await call('/suno/submit/music', { gpt_description_prompt: prompt })).json.data
const advance = async (ms: number) => {
  now += ms
  while ((await followTasks(relay.context, NEVER_ABORTED)) > 0);
}
const findWallet = () =>
  relay.db.selectFrom('users').select(['quota', 'held_quota', 'used_quota']).executeTakeFirstOrThrow()
const listTaskRows = () => relay.db.selectFrom('tasks').selectAll().orderBy('id').execute()
const setFault = async (fault: string) => {
  await relay.db
    .updateTable('channels')
    .set({ base_url: `http://lab.test/fault/${fault}` })
    .execute()
  await relay.context.channels.refresh()
}

describe('music tasks', () => {
  test('hold the price, report times in seconds, and charge once when finished', async () => {
    const { status, json } = await call('/suno/submit/music', { gpt_description_prompt: 'the sea' })
    expect([status, json]).toMatchObject([200, { code: 'success', message: '' }])
    expect(await findWallet()).toEqual({ quota: WALLET - SONG, held_quota: SONG, used_quota: 0 })
    expect((await call(`/suno/fetch/${json.data}`)).json).toMatchObject({
      code: 'success',
      data: { task_id: json.data, action: 'MUSIC', status: 'NOT_START', progress: '0%', data: null },
    })
    await advance(5000)
    await advance(60_000)
    expect((await call(`/suno/fetch/${json.data}`)).json).toMatchObject({
      data: {
        status: 'SUCCESS',
        progress: '100%',
        submit_time: STARTED_MS / 1000,
        finish_time: STARTED_MS / 1000 + 1,
        data: [{ id: `${json.data}-1` }, { id: `${json.data}-2` }],
      },
    })
    expect(await findWallet()).toEqual({ quota: WALLET - SONG, held_quota: 0, used_quota: SONG })
    const logs = await relay.db.selectFrom('logs').selectAll().execute()
    expect(logs).toMatchObject([{ type: 2, model_name: 'suno_music', content: `MUSIC ${json.data}` }])
  })

  test('release the hold when they fail', async () => {
    const id = await submitSong('the sea [lab: task-fail]')
    await advance(5000)
    expect((await call(`/suno/fetch/${id}`)).json).toMatchObject({
      data: { status: 'FAILURE', fail_reason: 'moderation failure', progress: '100%' },
    })
    expect(await findWallet()).toEqual({ quota: WALLET, held_quota: 0, used_quota: 0 })
  })

  test('fail after an hour without an end', async () => {
    await submitSong('the sea [lab: task-stuck]')
    await advance(3_600_000)
    expect(await listTaskRows()).toMatchObject([{ outcome: 'failed' }])
    expect(await findWallet()).toMatchObject({ quota: WALLET, held_quota: 0 })
  })

  test('use the channel of the song that they continue', async () => {
    const origin = await submitSong()
    await advance(5000)
    await relay.addChannel({ type: 36, models: 'suno_music', priority: 9 })
    const more = { continue_clip_id: `${origin}-1`, continue_at: 120, task_id: origin, infill_start_s: 3 }
    expect((await call('/suno/submit/MUSIC', more)).json).toMatchObject({ code: 'success' })
    const [first, second] = await listTaskRows()
    expect(second?.channel_id).toBe(first?.channel_id ?? 0)
    await advance(5000)
  })
})

test('charges the price of lyrics and returns them as an object', async () => {
  const { json } = await call('/suno/submit/lyrics', { prompt: 'a keeper' })
  await advance(5000)
  expect((await call(`/suno/fetch/${json.data}`)).json).toMatchObject({
    data: { action: 'LYRICS', data: { text: '[Verse 1]\na keeper' } },
  })
  expect(await findWallet()).toMatchObject({ used_quota: 5000 })
})

test('forwards unknown fields and sets the default version', async () => {
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
])('rejects %s with %j by the code %s', async (path, body, code, message) => {
  const response = await call(path, body)
  expect(response).toMatchObject({ status: 400, json: { code, data: null } })
  expect(response.json.message).toContain(message)
  expect(await listTaskRows()).toEqual([])
})

test.each([
  ['status-503', 503, 'fail_to_fetch_task'],
  ['status-429', 429, '429'],
  ['task-code-1', 500, 'fail_to_fetch_task'],
  ['garbage', 502, 'fail_to_fetch_task'],
])('responds to the fault %s with %d %s and charges nothing', async (fault, status, code) => {
  await setFault(fault)
  expect(await call('/suno/submit/music', { prompt: 'x' })).toMatchObject({
    status,
    json: { code, data: null },
  })
  expect(await findWallet()).toEqual({ quota: WALLET, held_quota: 0, used_quota: 0 })
})

test('retries a failed submission on another channel when retries are enabled', async () => {
  Object.assign(relay.context.settings.current(), { RetryTimes: 1 })
  await setFault('status-500')
  const second = await relay.addChannel({ type: 36, models: 'suno_music', priority: -1 })
  expect((await call('/suno/submit/music', { prompt: 'x' })).json).toMatchObject({ code: 'success' })
  expect(await listTaskRows()).toMatchObject([{ channel_id: second }])
  await advance(5000)
})

test("lists several tasks and leaves out unknown ones and other users' tasks", async () => {
  const [first, second, other] = [await submitSong(), await submitSong(), await submitSong()]
  await relay.db.updateTable('tasks').set({ user_id: 99 }).where('task_id', '=', String(other)).execute()
  const { json } = await call('/suno/fetch', { ids: [first, second, other, 'none'] })
  expect((json.data as { task_id: string }[]).map(task => task.task_id).sort()).toEqual(
    [first, second].map(String).sort(),
  )
  expect((await call('/suno/fetch', { ids: [] })).json).toEqual({ code: 'success', message: '', data: [] })
  await relay.db.updateTable('tasks').set({ user_id: relay.userId }).execute()
})

test('rejects a song with 403 in the platform’s format when the quota is too low', async () => {
  key = await relay.addToken({ remain: 10 })
  expect(await call('/suno/submit/music', { prompt: 'x' })).toMatchObject({
    status: 403,
    json: {
      code: 'quota_not_enough',
      message: 'the token has $0.000020 left, the request needs $0.100000',
      data: null,
    },
  })
})

test('rejects submissions when music is disabled', async () => {
  Object.assign(relay.context.settings.current(), { TaskEnabled: false })
  expect(await call('/suno/submit/music', { prompt: 'x' })).toMatchObject({
    status: 403,
    json: { code: 'closed' },
  })
})
