import { afterEach, expect, test } from 'bun:test'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'
import { testChannel, testUnsavedChannel } from './test-channel.ts'

const JINA = 38
const BAIDU = 15

let opened: TestRelay | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

async function testOf(columns: Readonly<Record<string, string | number>>, isStream = false) {
  opened = await TestRelay.open()
  return testChannel(opened.gateway, await opened.addChannel(columns), { model: '', isStream })
}

test('a channel that answers at once still took a time, since 0 means never tested', async () => {
  const result = await testOf({})
  expect(result).toMatchObject({ ok: true, message: '' })
  expect(result.timeMs).toBeGreaterThanOrEqual(1)
})

test('a channel that fails says how, and whether its key is dead', async () => {
  const result = await testOf({ base_url: 'http://lab.test/lab/fault/dead-key' })
  expect(result).toMatchObject({ ok: false, isKeyDead: true })
  expect(result.message).toContain('401')
})

test('of several keys one that works is enough, and only when all are refused is the channel', async () => {
  opened = await TestRelay.open({
    send: sendThrough(async request =>
      request.headers.get('authorization')?.includes('dead')
        ? Response.json({ error: { message: 'no', code: 'invalid_api_key' } }, { status: 401 })
        : Response.json({ choices: [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }] }),
    ),
  })
  const { gateway } = opened
  const testKeys = async (...keys: string[]) => {
    const columns = { key_sealed: opened?.seal(keys.join('\n')) ?? '', setting: '{"several_keys":true}' }
    return testChannel(gateway, (await opened?.addChannel(columns)) ?? 0, { model: '', isStream: false })
  }
  expect(await testKeys('dead 1', 'good')).toMatchObject({ ok: true })
  expect(await testKeys('dead 1', 'dead 2')).toMatchObject({ ok: false, isKeyDead: true })
})

test('a key that cannot be traded for a credential is as dead as one that is refused', async () => {
  opened = await TestRelay.open({
    send: sendThrough(async () => Response.json({ error_description: 'unknown client id' }, { status: 401 })),
  })
  const id = await opened.addChannel({ type: BAIDU, key_sealed: opened.seal('id|secret') })
  const result = await testChannel(opened.gateway, id, { model: '', isStream: false })
  expect(result).toMatchObject({ ok: false, isKeyDead: true })
  expect(result.message).toContain('unknown client id')
})

test('a streamed test reads the stream to its end', async () => {
  expect(await testOf({}, true)).toMatchObject({ ok: true })
  await opened?.close()
  for (const fault of ['cut', 'no-finish', 'error-event']) {
    const broken = await testOf({ base_url: `http://lab.test/lab/fault/${fault}` }, true)
    expect(broken).toMatchObject({ ok: false })
    expect(broken.message).not.toContain('404')
    await opened?.close()
  }
  opened = undefined
})

test('a model that cannot be streamed is tested whole', async () => {
  expect(await testOf({ models: 'text-embedding-3-small' }, true)).toMatchObject({ ok: true })
})

test('a model that reranks is asked to rerank, whatever else its name says', async () => {
  const paths: string[] = []
  opened = await TestRelay.open({
    send: sendThrough(async request => {
      paths.push(new URL(request.url).pathname)
      return Response.json({ results: [{ index: 0, relevance_score: 0.9 }] })
    }),
  })
  const id = await opened.addChannel({ type: JINA, models: 'bge-reranker-v2-m3' })
  const result = await testChannel(opened.gateway, id, { model: '', isStream: false })
  expect(result).toMatchObject({ ok: true })
  expect(paths).toEqual(['/lab/v1/rerank'])
})

test('a channel is tested before it is saved, by its own address and key', async () => {
  opened = await TestRelay.open()
  const channel = { ...UNSAVED, base_url: 'http://lab.test/lab' }
  const wanted = { model: 'lab', isStream: false }
  expect(await testUnsavedChannel(opened.gateway, { channel, key: 'lab' }, wanted)).toMatchObject({
    ok: true,
  })
  const dead = { ...channel, base_url: 'http://lab.test/lab/fault/dead-key' }
  expect(await testUnsavedChannel(opened.gateway, { channel: dead, key: 'lab' }, wanted)).toMatchObject({
    ok: false,
  })
})

const UNSAVED = {
  id: 0,
  type: 1,
  name: 'new',
  status: 1,
  weight: 0,
  priority: 0,
  other: '',
  openai_organization: '',
  models: 'lab',
  group: 'default',
  model_mapping: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
  auto_ban: 1 as const,
  test_model: '',
}
