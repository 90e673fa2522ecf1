import { expect, test } from 'bun:test'
import { createPriceBook } from '../../pricing/price-book.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

type Body = Readonly<Record<string, unknown>>

const CHAT = '/v1/chat/completions'
const CHEAP = 'cheap'
const DEAR = 'dear'
const UNLISTED = 'unlisted'
const UNPRICED = 'unpriced'
const OUTPUT_MAX = 1_000
const DEAR_RATIO = 50
const prices = createPriceBook({
  GroupRatio: { default: 1 },
  ModelRatio: { [CHEAP]: 1, [DEAR]: DEAR_RATIO, [UNLISTED]: 1 },
})

/** Every field in which a provider reads the name of a model that may answer. */
const forms = (model: string): readonly Body[] => [
  { models: [model], route: 'fallback' },
  { models: [CHEAP, model] },
  { model_fallbacks: [model] },
  { fallbacks: [{ model }] },
  { fallbacks: [model] },
  { fallbacks: [{ name: model }] },
  { fallbacks: { [CHEAP]: [model] } },
  { models: [{ id: model }] },
  { model_list: [{ model_name: model }] },
  { model_list: [model] },
  { fallback: model },
  { fallback_models: [model] },
  { fallbackModels: [model] },
  { preset: model },
  { generationConfig: { routingConfig: { manualMode: { modelName: model } } } },
  { router: { model_id: model } },
  { plugins: [{ id: 'auto-router', allowed_models: [model] }] },
  { plugins: [{ id: 'web', model }] },
  { tools: [{ type: 'advisor_20260301', name: 'advisor', model }] },
  { agents: { reviewer: { model } } },
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          {
            type: 'tool_addition',
            tool: { type: 'tool_definition', definition: { type: 'advisor_20260301', model } },
          },
        ],
      },
    ],
  },
  { advisor_model: model },
  { extra_body: { models: [model] } },
  { compound_custom: { models: { answering_model: model } } },
  { model_uri: model },
  { modelSlug: model },
  { deployment_id: model },
  { presets: [model] },
  { secondary: { llm: model } },
  { context_window_fallbacks: [{ [CHEAP]: [model] }] },
  { targets: [{ override_params: { model } }] },
  { a: { b: { c: { d: { e: { f: { g: { h: { model } } } } } } } } },
  { session: { audio: { output: { model } } } },
]

/** Fields that servers may read so, although they usually hold something else. */
const mentions = (model: string): readonly Body[] => [
  { route: model },
  { words: Array.from({ length: 900 }, (_, at) => `word ${at}`), route: model },
  { routes: [model] },
  { router: model },
  { router_settings: { model_group_alias: { [CHEAP]: model } } },
  { model_group_alias: { [CHEAP]: model } },
  { model_routing: { [CHEAP]: model } },
  { fallback_chain: [model] },
  { fallbacks: { default: model } },
  { fallbacks: { [model]: {} } },
  { models: { [model]: {} } },
  { models: { 0: model } },
  { models: { primary: model } },
  { engine: model },
  { ensemble: { members: [model] } },
  { model_version: model },
  { targets: [model] },
  { extra_body: [{ route: model }] },
  { provider: { only: [model] } },
  { routing: { name: model } },
  { router: { rules: [{ title: model }] } },
  { provider: { [model]: { weight: 1 } } },
  { weights: { [model]: 1 } },
  { [model]: true },
  { options: { user: model } },
  { agent: { description: model } },
  { text: { name: model } },
  { route: `${CHEAP},${model}` },
  { route: JSON.stringify([model]) },
  { route: `models/${model}` },
  { extra_body: { routing: { name: model } } },
  { response_format: { type: 'text', name: { of: model } } },
  { tools: [{ type: 'function', function: { name: 'f', engine: model } }] },
]
const allForms = (model: string): readonly Body[] => [...forms(model), ...mentions(model)]

/** Sends a chat that names another model; the provider answers at once. */
async function send(
  body: Body,
  columns: Readonly<Record<string, string | number>> = {},
  path = CHAT,
  served?: string,
) {
  const sent: Body[] = []
  const held: number[] = []
  const relay = await TestRelay.open({
    prices,
    send: sendThrough(async request => {
      sent.push(JSON.parse(await request.text()))
      const user = await relay.db.selectFrom('users').select('held_quota').executeTakeFirstOrThrow()
      held.push(Number(user.held_quota))
      return Response.json({
        model: served,
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 9, completion_tokens: 2 },
      })
    }),
  })
  await relay.addChannel({ models: [CHEAP, DEAR, UNPRICED].join() })
  const messages = [{ role: 'user', content: 'hi' }]
  const key = await relay.addToken({ columns })
  const response = await relay.request(path, key, { model: CHEAP, max_tokens: OUTPUT_MAX, messages, ...body })
  const text = await response.text()
  const charged = await relay.db.selectFrom('logs').select('quota').executeTakeFirst()
  const user = await relay.db.selectFrom('users').select('held_quota').executeTakeFirstOrThrow()
  await relay.close()
  return { status: response.status, text, sent, held, quota: charged?.quota ?? 0, stillHeld: user.held_quota }
}

const LIMITED = { model_limits_enabled: 1, model_limits: CHEAP }

test.each(allForms(DEAR))('a token that may not use a model cannot name it either: %j', async body => {
  const { status, text, sent, quota } = await send(body, LIMITED)
  expect([status, sent, quota]).toEqual([403, [], 0])
  expect(JSON.parse(text).error.message).toContain(`the token may not use the model ${DEAR}`)
})

test.each(allForms(DEAR))('holds for the dearest model that may answer: %j', async body => {
  const { status, held, stillHeld } = await send(body)
  expect(status).toBe(200)
  expect(held[0]).toBeGreaterThanOrEqual(OUTPUT_MAX * DEAR_RATIO)
  expect(stillHeld).toBe(0)
})

test.each(allForms(DEAR))('bills what a request for the model that served costs: %j', async body => {
  const { quota: direct } = await send({ model: DEAR }, {}, CHAT, DEAR)
  const { quota } = await send(body, {}, CHAT, DEAR)
  expect(direct).toBeGreaterThan(DEAR_RATIO)
  expect(quota).toBe(direct)
})

test.each<Body>([
  { route: 'fallback', provider: { only: ['azure'] } },
  { user: DEAR },
  { stop: DEAR },
  { stop: [DEAR] },
  { stop_sequences: [DEAR] },
  { generationConfig: { stopSequences: [DEAR] } },
  { prompt_cache_key: DEAR },
  { session_id: DEAR },
])('a text that is no name of a model, or is one by chance, names none: %j', async body => {
  const { status, held } = await send(body, LIMITED)
  expect(status).toBe(200)
  expect(held[0]).toBeLessThan(OUTPUT_MAX * DEAR_RATIO)
})

test.each([UNLISTED, UNPRICED])('refuses %s, which the group lacks or which has no price', async model => {
  for (const body of forms(model)) {
    const { status, text, sent, quota, stillHeld } = await send(body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).toContain(model)
    expect([sent, quota, stillHeld]).toEqual([[], 0, 0])
  }
})

test('names of models in messages, schemas and metadata are only text', async () => {
  const { status, sent } = await send(
    {
      metadata: { model: DEAR },
      messages: [{ role: 'user', content: 'hi', model: DEAR }],
      tools: [{ type: 'function', function: { name: 'f', parameters: { model: DEAR, models: [DEAR] } } }],
    },
    LIMITED,
  )
  expect([status, sent.length]).toEqual([200, 1])
})

test('texts that are the name of a model by chance pass', async () => {
  const { status, sent } = await send(
    {
      stop: [DEAR],
      user: DEAR,
      prompt_cache_key: DEAR,
      session_id: DEAR,
      safety_identifier: DEAR,
      labels: { team: DEAR },
      response_format: { type: 'json_schema', json_schema: { name: DEAR, schema: { title: DEAR } } },
      tools: [
        { type: 'function', function: { name: DEAR, description: DEAR, parameters: { [DEAR]: {} } } },
        { type: 'custom', custom: { name: DEAR } },
      ],
      messages: [{ role: 'user', name: DEAR, content: DEAR }],
    },
    LIMITED,
  )
  expect([status, sent.length]).toEqual([200, 1])
})

/** A model without a price is known to its router only, as are the words in which it takes models. */
const UNKNOWN: readonly Body[] = [
  { routing: UNPRICED },
  { routing: { name: UNPRICED } },
  { engines: [UNPRICED] },
  { weights: { [UNPRICED]: 1 } },
  { extra_body: { engine: UNPRICED } },
  { extra_body: `{"engine":"${UNPRICED}"}` },
  { target_url: `https://router.example/${UNPRICED}` },
  { query_params: [[{ m: UNPRICED }]] },
]

test.each(UNKNOWN)('a limited token sends no text in a field that nobody documents: %j', async body => {
  const limited = await send({ ...body, seed: 7, top_k: 3, unknown_number: 1, unknown_switch: true }, LIMITED)
  expect([limited.status, limited.sent.length]).toEqual([200, 1])
  expect(JSON.stringify(limited.sent)).not.toContain(UNPRICED)
  expect(limited.sent[0]).toMatchObject({ seed: 7, top_k: 3, unknown_number: 1, unknown_switch: true })
  expect(JSON.stringify((await send(body)).sent)).toContain(UNPRICED)
})

test("a model in the body of Gemini's format counts beside that of its address", async () => {
  const body = { model: `models/${DEAR}`, contents: [{ parts: [{ text: 'hi' }] }] }
  const { status, sent } = await send(body, LIMITED, `/v1beta/models/${CHEAP}:generateContent`)
  expect([status, sent]).toEqual([403, []])
})

test('refuses more texts than can be looked up, unless they are content', async () => {
  const texts = Array.from({ length: 1_200 }, (_, at) => `text ${at}`)
  const { status, text, sent } = await send({ words: texts, route: DEAR }, LIMITED)
  expect([status, sent]).toEqual([400, []])
  expect(text).toContain('at most 1000 short texts')
  expect((await send({ documents: texts, inputs: texts }, LIMITED)).status).toBe(200)
})

test('refuses a body that names a thousand models', async () => {
  const models = Array.from({ length: 1_000 }, (_, index) => `m${index}`)
  const { status, text, sent } = await send({ models })
  expect([status, sent]).toEqual([400, []])
  expect(text).toContain('at most 16 other models')
})

test.each([
  ['/v1/responses', { input: 'hi', tools: [{ type: 'image_generation', model: DEAR }] }],
  ['/v1/responses', { input: 'hi', tools: [{ type: 'image_generation', svg: { model: DEAR } }] }],
  ['/v1/images/generations', { prompt: 'hi', svg: { model: DEAR } }],
  ['/v1/images/generations', { prompt: 'hi', 'svg[model]': DEAR }],
  ['/v1/responses', { input: 'hi', audio: { input: { transcription: { model: DEAR } } } }],
])("a model that makes pictures for a tool needs the token's leave only: %s %j", async (path, body) => {
  expect((await send(body, LIMITED, path)).status).toBe(403)
  expect((await send(body, {}, path)).text).not.toContain('no channel for')
})
