import { afterEach, expect, test } from 'bun:test'
import { sameInBoth } from '#server/core/language.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { testChannel, testUnsavedChannel } from './test-channel.ts'

const JINA = 38
const BAIDU = 15

let relay: TestRelay | undefined
afterEach(async () => {
  await relay?.close()
  relay = undefined
})

async function testWith(columns: Readonly<Record<string, string | number>>, isStream = false) {
  relay = await TestRelay.open()
  return testChannel(relay.context, await relay.addChannel(columns), { model: '', isStream })
}

test('reports at least 1 ms, since 0 means never tested', async () => {
  const result = await testWith({})
  expect(result).toMatchObject({ ok: true, message: sameInBoth('') })
  expect(result.timeMs).toBeGreaterThanOrEqual(1)
})

test('reports the failure and whether the key is revoked', async () => {
  const result = await testWith({ base_url: 'http://lab.test/lab/fault/dead-key' })
  expect(result).toMatchObject({ ok: false, isKeyRevoked: true })
  expect(result.message.en).toContain('401')
})

test('passes with one working key of several and fails when all are revoked', async () => {
  relay = await TestRelay.open({
    send: sendThrough(async request =>
      request.headers.get('authorization')?.includes('dead')
        ? Response.json({ error: { message: 'no', code: 'invalid_api_key' } }, { status: 401 })
        : Response.json({ choices: [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }] }),
    ),
  })
  const { context } = relay
  const testKeys = async (...keys: string[]) => {
    const columns = { key_sealed: relay?.encryptKey(keys.join('\n')) ?? '', setting: '{"several_keys":true}' }
    return testChannel(context, (await relay?.addChannel(columns)) ?? 0, { model: '', isStream: false })
  }
  expect(await testKeys('dead 1', 'good')).toMatchObject({ ok: true })
  expect(await testKeys('dead 1', 'dead 2')).toMatchObject({ ok: false, isKeyRevoked: true })
})

test('reports a key as revoked when it cannot be exchanged for a credential', async () => {
  relay = await TestRelay.open({
    send: sendThrough(async () => Response.json({ error_description: 'unknown client id' }, { status: 401 })),
  })
  const id = await relay.addChannel({ type: BAIDU, key_sealed: relay.encryptKey('id|secret') })
  const result = await testChannel(relay.context, id, { model: '', isStream: false })
  expect(result).toMatchObject({ ok: false, isKeyRevoked: true })
  expect(result.message.en).toContain('unknown client id')
})

test('reads a streamed test to its end', async () => {
  expect(await testWith({}, true)).toMatchObject({ ok: true })
  await relay?.close()
  for (const fault of ['cut', 'no-finish', 'error-event']) {
    const broken = await testWith({ base_url: `http://lab.test/lab/fault/${fault}` }, true)
    expect(broken).toMatchObject({ ok: false })
    expect(broken.message.en).not.toContain('404')
    await relay?.close()
  }
  relay = undefined
})

test('tests a model without streaming by a JSON request', async () => {
  expect(await testWith({ models: 'text-embedding-3-small' }, true)).toMatchObject({ ok: true })
})

test('tests a rerank model by a rerank request regardless of the rest of its name', async () => {
  const paths: string[] = []
  relay = await TestRelay.open({
    send: sendThrough(async request => {
      paths.push(new URL(request.url).pathname)
      return Response.json({ results: [{ index: 0, relevance_score: 0.9 }] })
    }),
  })
  const id = await relay.addChannel({ type: JINA, models: 'bge-reranker-v2-m3' })
  const result = await testChannel(relay.context, id, { model: '', isStream: false })
  expect(result).toMatchObject({ ok: true })
  expect(paths).toEqual(['/lab/v1/rerank'])
})

test('tests an unsaved channel with its own URL and key', async () => {
  relay = await TestRelay.open()
  const channel = { ...UNSAVED, base_url: 'http://lab.test/lab' }
  const options = { model: 'lab', isStream: false }
  expect(await testUnsavedChannel(relay.context, { channel, key: 'lab' }, options)).toMatchObject({
    ok: true,
  })
  const revoked = { ...channel, base_url: 'http://lab.test/lab/fault/dead-key' }
  expect(await testUnsavedChannel(relay.context, { channel: revoked, key: 'lab' }, options)).toMatchObject({
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
  max_input_tokens: 0,
  stopped_models: '',
  auto_ban: 1 as const,
  test_model: '',
}
