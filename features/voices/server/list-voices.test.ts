import { afterEach, expect, test } from 'bun:test'
import { sleepMs } from '#server/core/clock.ts'
import { asArray, asObject } from '#server/provider-kit/json.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'

const OPENAI = 1
const ANTHROPIC = 14
const ZHIPU = 26
const MINIMAX = 35
const SILICONFLOW = 40
const VOICES = '/v1/audio/voices'
const FIRST_VOICES = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer']

let relay: TestRelay | undefined
afterEach(() => relay?.close())

type Upstream = (request: Request) => Response | Promise<Response>

interface SpeechChannel {
  readonly type?: number
  readonly models?: string
  readonly baseUrl?: string
  readonly mapping?: string
}

/** Lists the voices of one channel. `sent` are the calls of its provider. */
async function list(channel: SpeechChannel, upstream: Upstream, path = VOICES) {
  const sent: string[] = []
  const opened = await TestRelay.open({
    send: sendThrough(async request => {
      sent.push(`${request.method} ${request.url} ${await request.clone().text()}`)
      return upstream(request)
    }),
  })
  relay = opened
  await opened.addChannel({
    type: channel.type ?? OPENAI,
    models: channel.models ?? 'tts-1',
    base_url: channel.baseUrl ?? '',
    model_mapping: channel.mapping ?? '',
  })
  const response = await opened.request(path, await opened.addToken(), undefined)
  const json = asObject(await response.json())
  return { status: response.status, json, ids: asArray(json.data).map(voice => asObject(voice).id), sent }
}

const SERVER = 'http://speech.test'
const unknown = () => Response.json({ detail: 'Not Found' }, { status: 404 })

test("lists OpenAI's documented voices by model, without a call and without a charge", async () => {
  const models = 'gpt-4o,gpt-4o-mini-tts,tts-1,tts-1-hd'
  const { status, json, sent } = await list({ models }, unknown)
  expect([status, sent]).toEqual([200, []])
  const voices = asArray(json.data).map(asObject)
  expect(voices).toHaveLength(13)
  expect(voices.find(({ id }) => id === 'alloy')).toEqual({
    id: 'alloy',
    object: 'audio.voice',
    name: 'alloy',
    models: ['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'],
  })
  expect(voices.find(({ id }) => id === 'marin')?.models).toEqual(['gpt-4o-mini-tts'])
  expect(json.voices).toEqual(json.data)
  expect(await relay?.db.selectFrom('logs').select('id').execute()).toEqual([])
})

test.each([
  ['', 13],
  ['?model=tts-1', 9],
  ['?model=gpt-4o', 0],
])('lists %s %d voices', async (query, count) => {
  const { ids } = await list({ models: 'gpt-4o,gpt-4o-mini-tts,tts-1' }, unknown, VOICES + query)
  expect(ids).toHaveLength(count)
})

test.each([
  ['/openai/v1/audio/voices', FIRST_VOICES],
  ['/v1/audio/voices/', FIRST_VOICES],
])('is served at %s', async (path, voices) => {
  expect((await list({}, unknown, path)).ids).toEqual(voices)
})

test.each([
  [{ voices: ['af_bella', 'af_sky'] }],
  [{ voices: [{ id: 'af_bella', name: 'Bella' }, { id: 'af_sky' }] }],
  [{ object: 'list', data: [{ voice_id: 'af_bella' }, { voice_id: 'af_sky' }] }],
  [['af_bella', { name: 'af_sky' }, { label: 'no id' }, 7]],
])('asks a server of its own for its voices: %j', async reply => {
  const channel = { models: 'kokoro,mine', mapping: '{"mine":"my-tts"}', baseUrl: `${SERVER}/v1` }
  const { ids, sent } = await list(channel, () => Response.json(reply))
  expect(ids).toEqual(['af_bella', 'af_sky'])
  expect(sent).toEqual([
    `GET ${SERVER}/v1/audio/voices?model=kokoro `,
    `GET ${SERVER}/v1/audio/voices?model=my-tts `,
  ])
})

test.each([404, 405, 501])('lists what is documented where the server has no list (%d)', async status => {
  const { ids } = await list({ baseUrl: SERVER }, () => new Response('', { status }))
  expect(ids).toEqual(FIRST_VOICES)
})

test('lists what is documented where the server responds with a page', async () => {
  const page = new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })
  expect((await list({ baseUrl: SERVER }, () => page)).ids).toEqual(FIRST_VOICES)
})

test.each([500, 401])('says that the provider failed with %d, without its key or address', async status => {
  const { status: shown, json } = await list({ baseUrl: SERVER }, () => Response.json({}, { status }))
  expect(shown).toBe(502)
  expect(JSON.stringify(json)).not.toContain('speech.test')
})

test('leaves out the voices of a provider that fails while another one responds', async () => {
  const channel = { models: 'kokoro,tts-1', baseUrl: SERVER }
  const { status, ids } = await list(channel, ({ url }) =>
    url.includes('kokoro') ? Response.json({}, { status: 500 }) : Response.json({ voices: ['one'] }),
  )
  expect([status, ids]).toEqual([200, ['one']])
})

test("lists MiniMax's system voices, but not those of the account", async () => {
  const reply = {
    system_voice: [{ voice_id: 'male-qn-qingse', voice_name: '青涩青年音色' }],
    voice_cloning: [{ voice_id: 'private' }],
    base_resp: { status_code: 0 },
  }
  const channel = { type: MINIMAX, models: 'speech-2.6-hd', baseUrl: SERVER }
  const { json, sent } = await list(channel, () => Response.json(reply))
  expect(json.data).toEqual([
    { id: 'male-qn-qingse', object: 'audio.voice', name: '青涩青年音色', models: ['speech-2.6-hd'] },
  ])
  expect(sent).toEqual([`POST ${SERVER}/v1/get_voice {"voice_type":"system"}`])
})

test("reports MiniMax's error inside a response with status 200", async () => {
  const reply = { base_resp: { status_code: 1004, status_msg: 'login fail' } }
  const channel = { type: MINIMAX, models: 'speech-2.6-hd', baseUrl: SERVER }
  expect((await list(channel, () => Response.json(reply))).status).toBe(502)
})

test.each([
  [ZHIPU, 'glm-tts', 'tongtong'],
  [SILICONFLOW, 'FunAudioLLM/CosyVoice2-0.5B', 'alex'],
])('lists the documented voices of provider %d', async (type, models, voice) => {
  const { ids, sent } = await list({ type, models }, unknown)
  expect(ids).toContain(voice)
  expect(sent).toEqual([])
})

test.each([
  [ZHIPU, 'glm-4.6'],
  [SILICONFLOW, 'Qwen/Qwen3-8B'],
  [MINIMAX, 'MiniMax-M2'],
])('knows no voice of a model of provider %d that does not speak', async (type, models) => {
  const { status, ids, sent } = await list(
    { type, models },
    unknown,
    `${VOICES}?model=${encodeURIComponent(models)}`,
  )
  expect([status, ids, sent]).toEqual([200, [], []])
})

test('lists nothing for a provider without speech', async () => {
  const { status, json } = await list({ type: ANTHROPIC, models: 'claude-tts' }, unknown)
  expect([status, json]).toEqual([200, { object: 'list', data: [], voices: [] }])
})

test('knows only the models that the token may use', async () => {
  const { status, json } = await list({}, unknown, `${VOICES}?model=gpt-4o-mini-tts`)
  expect([status, asObject(json.error).code]).toEqual([404, 'model_not_found'])
})

test.each([
  ['POST', VOICES],
  ['POST', '/v1/audio/voice_consents'],
  ['DELETE', `${VOICES}/voice_1`],
])('says how custom voices work to %s %s', async (method, path) => {
  relay = await TestRelay.open()
  const headers = { authorization: `Bearer sk-${await relay.addToken()}` }
  const response = await relay.handle(new Request(`http://gateway.test${path}`, { method, headers }))
  expect(response.status).toBe(501)
  expect(asObject(asObject(await response.json()).error).message).toContain(
    'belong to the account of their provider',
  )
})

test('requests a list once for many clients, and again after the address changed', async () => {
  let calls = 0
  const opened = await TestRelay.open({
    send: sendThrough(async () => {
      calls += 1
      await sleepMs(5)
      return Response.json({ voices: ['one'] })
    }),
  })
  relay = opened
  await opened.addChannel({ type: OPENAI, models: 'tts-1', base_url: SERVER })
  const token = await opened.addToken()
  const request = async () => (await opened.request(VOICES, token, undefined)).json()
  const lists = await Promise.all([request(), request(), request()])
  expect(calls).toBe(1)
  expect(await request()).toEqual(lists[0])
  expect(calls).toBe(1)
  await opened.db.updateTable('channels').set({ base_url: 'http://other.test' }).execute()
  await opened.context.channels.refresh()
  await request()
  expect(calls).toBe(2)
})
