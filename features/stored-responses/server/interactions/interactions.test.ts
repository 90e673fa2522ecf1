import { afterEach, expect, test } from 'bun:test'
import { asObject, type JsonObject } from '#server/provider-kit/json.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

const GEMINI = 24
const ANTHROPIC = 14
const PATH = '/v1beta/interactions'

const USAGE = {
  total_input_tokens: 1_000,
  input_tokens_by_modality: [{ modality: 'text', tokens: 1_000 }],
  total_cached_tokens: 0,
  total_output_tokens: 100,
  total_thought_tokens: 50,
  total_tool_use_tokens: 20,
  total_tokens: 1_170,
}
const INTERACTION = {
  id: 'v1_abc',
  object: 'interaction',
  model: 'gemini-upstream',
  status: 'completed',
  steps: [{ type: 'model_output', content: [{ type: 'text', text: 'yes' }] }],
  usage: USAGE,
}
const CREATED = { id: 'v1_abc', status: 'in_progress', model: 'gemini-upstream' }
const EVENTS = [
  { event_type: 'interaction.created', interaction: CREATED },
  { event_type: 'step.start', index: 0, step: { type: 'model_output', content: [] } },
  { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'yes' } },
  { event_type: 'step.stop', index: 0 },
  { event_type: 'interaction.completed', interaction: { ...CREATED, status: 'completed', usage: USAGE } },
]
const toStream = (events: readonly JsonObject[]): string =>
  [...events.map(event => JSON.stringify(event)), '[DONE]'].map(data => `data: ${data}\n\n`).join('')

interface ProviderCall {
  readonly method: string
  readonly url: string
  readonly body: JsonObject
}

let relay: TestRelay
let sent: ProviderCall[] = []
let reply: () => Response = () => Response.json(INTERACTION)

afterEach(async () => {
  await relay.close()
  reply = () => Response.json(INTERACTION)
})

async function open(type = GEMINI, columns = {}): Promise<string> {
  sent = []
  relay = await TestRelay.open({
    prices: testPrices({ ModelRatio: { lab: 1 }, CompletionRatio: { lab: 2 }, GroupRatio: { default: 1 } }),
    send: async request => {
      const text = typeof request.body === 'string' ? request.body : '{}'
      sent.push({
        method: request.method ?? 'POST',
        url: request.url,
        body: asObject(JSON.parse(text)),
      })
      return receivedResponse(reply())
    },
  })
  await relay.addChannel({ type, base_url: 'http://provider.test', ...columns })
  return relay.addToken()
}

const charged = async (): Promise<number> => {
  const rows = await relay.db.selectFrom('logs').select('quota').execute()
  return rows.reduce((sum, { quota }) => sum + Number(quota), 0)
}

/** 1,020 tokens read at 1 unit, 150 written at 2. */
const CHARGE = 1_020 + 150 * 2

/** The token of another user. */
async function addStranger(): Promise<string> {
  const { id } = await relay.db
    .insertInto('users')
    .values({ username: 'other', aff_code: 'other', created_at: 1, quota: 1_000_000 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return relay.addToken({ columns: { user_id: id } })
}

test('passes an interaction to Gemini as it is, and charges its usage', async () => {
  const key = await open(GEMINI, { model_mapping: '{"lab":"gemini-upstream"}' })
  const body = { model: 'lab', input: 'hi', later_field: { a: 1 }, store: false }
  const response = await relay.request(PATH, key, body)
  expect(await response.json()).toEqual({ ...INTERACTION, model: 'lab' })
  expect(sent).toEqual([
    {
      method: 'POST',
      url: 'http://provider.test/v1beta/interactions',
      body: { ...body, model: 'gemini-upstream' },
    },
  ])
  expect(await charged()).toBe(CHARGE)
})

test('passes the events of a stream, and charges its usage', async () => {
  const key = await open()
  reply = () => new Response(toStream(EVENTS), { headers: { 'content-type': 'text/event-stream' } })
  const response = await relay.request(PATH, key, { model: 'lab', input: 'hi', stream: true })
  const text = await response.text()
  expect(text).toBe(toStream(EVENTS).replace('data: [DONE]', 'event: done\ndata: [DONE]'))
  expect(await charged()).toBe(CHARGE)
})

test('charges a stream that breaks off by the last usage that it told', async () => {
  const key = await open()
  const latestUsage = { total_input_tokens: 1_000, total_output_tokens: 10 }
  const events = [...EVENTS.slice(0, 2), { ...EVENTS[2], metadata: { total_usage: latestUsage } }]
  reply = () =>
    new Response(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream' },
    })
  const response = await relay.request(PATH, key, { model: 'lab', input: 'hi', stream: true })
  const text = await response.text()
  expect(text).toContain('"event_type":"error"')
  expect(await charged()).toBe(1_000 + 10 * 2)
})

test('continues, reads, cancels and deletes an interaction at the account that made it, for its user alone', async () => {
  const key = await open()
  await relay.addChannel({ type: GEMINI, base_url: 'http://other.test', priority: 9, status: 2 })
  await (await relay.request(PATH, key, { model: 'lab', input: 'hi' })).json()
  const next = { model: 'lab', input: 'and?', previous_interaction_id: 'v1_abc' }
  expect((await relay.request(PATH, key, next)).status).toBe(200)
  expect(sent.at(-1)?.body).toEqual(next)
  const headers = { authorization: `Bearer sk-${key}` }
  const call = async (method: string, path: string) =>
    (await relay.handle(new Request(`http://gateway.test${PATH}${path}`, { method, headers }))).status
  expect(await call('GET', `/v1_abc?include_input=true&key=sk-${key}`)).toBe(200)
  expect(await call('POST', '/v1_abc/cancel')).toBe(200)
  expect(await call('DELETE', '/v1_abc')).toBe(200)
  expect(sent.slice(2).map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET http://provider.test/v1beta/interactions/v1_abc?include_input=true',
    'POST http://provider.test/v1beta/interactions/v1_abc/cancel',
    'DELETE http://provider.test/v1beta/interactions/v1_abc',
  ])
  sent = []
  const stranger = await addStranger()
  const foreign = { authorization: `Bearer sk-${stranger}` }
  for (const [method, path] of [
    ['GET', '/v1_abc'],
    ['DELETE', '/v1_abc'],
    ['POST', '/v1_abc/cancel'],
    ['GET', '/unknown'],
  ] as const) {
    const request = new Request(`http://gateway.test${PATH}${path}`, { method, headers: foreign })
    const response = await relay.handle(request)
    expect([method, path, response.status]).toEqual([method, path, 404])
    expect(asObject((await response.json()).error).status).toBe('NOT_FOUND')
  }
  expect((await relay.request(PATH, stranger, next)).status).toBe(404)
  expect(sent).toEqual([])
})

test.each([
  ['agent', { agent: 'deep-research-preview-04-2026' }],
  ['environment', { environment: { type: 'remote' } }],
  ['cached_content', { cached_content: 'cachedContents/1' }],
  ['webhook_config', { webhook_config: { uris: ['http://example.org'] } }],
])('names %s as not implemented, whoever serves it', async (field, fields) => {
  const key = await open()
  const { status, error } = await rejection(key, { model: 'lab', input: 'hi', ...fields })
  expect([status, error.status, sent]).toEqual([501, 'UNIMPLEMENTED', []])
  expect(error.message).toContain(field)
  expect(await charged()).toBe(0)
})

async function rejection(key: string, body: object) {
  const response = await relay.request(PATH, key, body)
  return { status: response.status, error: asObject((await response.json()).error) }
}

test.each([
  [{ model: 'lab' }, /input/],
  [{ model: 'lab', input: [] }, /input/],
  [{ model: 'lab', input: 'hi', previous_interaction_id: 'v1_unknown' }, /was not found/],
  [{ model: 'lab', input: 'hi', continuation_token: 'of somebody' }, /was not found/],
  [{ model: 'lab', input: 'hi', tools: [{ type: 'mcp_of_tomorrow' }] }, /mcp_of_tomorrow/],
  [{ model: 'lab', input: [{ type: 'video', uri: 'https://youtu.be/a' }] }, /video/],
  [{ model: 'lab', input: [{ type: 'audio', uri: 'https://example.org/a.mp3' }] }, /audio/],
  [{ model: 'lab', input: 'hi', response_modalities: ['image'] }, /response_modalities/],
  [{ input: 'hi' }, /model/],
])('rejects %j by name where it must be translated', async (body, says) => {
  const key = await open(ANTHROPIC)
  const { status, error } = await rejection(key, body)
  expect([400, 404]).toContain(status)
  expect(error.message).toMatch(says)
  expect([sent.length, await charged()]).toEqual([0, 0])
})

test('obeys the policy of tools that the provider runs', async () => {
  await open()
  const key = await relay.addToken({ columns: { server_tools: 'forbid' } })
  for (const type of ['google_search', 'code_execution', 'mcp_server', 'retrieval', 'of_tomorrow']) {
    const { status } = await rejection(key, { model: 'lab', input: 'hi', tools: [{ type }] })
    expect([type, status, sent.length]).toEqual([type, 400, 0])
  }
})

const FAILED = {
  ...INTERACTION,
  status: 'failed',
  steps: [],
  errors: [{ code: 'internal', message: 'broken' }],
}

const INSIDE = { total_input_tokens: 1_000, total_output_tokens: 100, total_thought_tokens: 60 }

test.each([
  [{ ...INSIDE }, 1_000 + 160 * 2],
  [{ ...INSIDE, total_tokens: 1_160 }, 1_000 + 160 * 2],
  [{ ...INSIDE, total_tokens: 1_100 }, 1_000 + 100 * 2],
  [{ ...INSIDE, total_tool_use_tokens: 30, total_tokens: 1_190 }, 1_030 + 160 * 2],
  [{ ...INSIDE, total_tool_use_tokens: 30, total_tokens: 1_160 }, 1_000 + 160 * 2],
  [{ ...INSIDE, total_tool_use_tokens: 30, total_tokens: 1_130 }, 1_030 + 100 * 2],
  [{ ...INSIDE, total_tool_use_tokens: 30, total_tokens: 1_100 }, 1_000 + 100 * 2],
])('charges thoughts and what tools brought once, as the sum of %j says', async (usage, charge) => {
  const key = await open()
  reply = () => Response.json({ ...INTERACTION, usage })
  await (await relay.request(PATH, key, { model: 'lab', input: 'hi' })).json()
  expect(await charged()).toBe(charge)
})

test('continues with a token, whole or streamed, at the account that gave it, and for nobody else', async () => {
  const key = await open()
  const unfinished = { ...INTERACTION, status: 'requires_continuation', continuation_token: 'token-1' }
  reply = () => Response.json(unfinished)
  await (await relay.request(PATH, key, { model: 'lab', input: 'hi' })).json()
  const status = { event_type: 'interaction.status_update', interaction_id: 'v1_abc', status: 'in_progress' }
  const events = [...EVENTS.slice(0, 3), { ...status, continuation_token: 'token-2' }, ...EVENTS.slice(3)]
  reply = () => new Response(toStream(events), { headers: { 'content-type': 'text/event-stream' } })
  await (await relay.request(PATH, key, { model: 'lab', input: 'hi', stream: true })).text()
  reply = () => Response.json(INTERACTION)
  const stranger = await addStranger()
  for (const continuation_token of ['token-1', 'token-2']) {
    const body = { model: 'lab', continuation_token, previous_interaction_id: 'v1_abc' }
    expect((await relay.request(PATH, key, body)).status).toBe(200)
    expect(sent.at(-1)?.body).toEqual(body)
    const calls = sent.length
    expect((await relay.request(PATH, stranger, body)).status).toBe(404)
    expect(sent.length).toBe(calls)
  }
})

test('does not charge an interaction that failed', async () => {
  const key = await open()
  reply = () => Response.json(FAILED)
  const { status, error } = await rejection(key, { model: 'lab', input: 'hi' })
  expect(status).toBeGreaterThanOrEqual(500)
  expect(error.message).toContain('broken')
  expect(await charged()).toBe(0)
})

test('translates for a provider without this API', async () => {
  const key = await open(ANTHROPIC)
  reply = () =>
    Response.json({
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c2', name: 'weather', input: { city: 'Rome' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 30, output_tokens: 10 },
    })
  const response = await relay.request(PATH, key, {
    model: 'lab',
    system_instruction: 'Be brief.',
    input: [
      { type: 'user_input', content: [{ type: 'text', text: 'Weather?' }] },
      { type: 'thought', summary: [] },
      { type: 'function_call', id: 'c1', name: 'weather', arguments: { city: 'Lisbon' } },
      { type: 'function_result', call_id: 'c1', result: { degrees: 20 } },
      { type: 'google_search_call', id: 's', arguments: { queries: ['x'] } },
    ],
    tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
    generation_config: { max_output_tokens: 500, tool_choice: 'any' },
  })
  expect(sent[0]?.body).toMatchObject({
    system: 'Be brief.',
    max_tokens: 500,
    tool_choice: { type: 'any' },
    messages: [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', input: { city: 'Lisbon' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1' }] },
    ],
  })
  const { id, created, updated, ...rest } = await response.json()
  expect(id).toStartWith('int_')
  expect(rest).toEqual({
    object: 'interaction',
    model: 'lab',
    status: 'requires_action',
    steps: [
      { type: 'model_output', content: [{ type: 'text', text: 'I look.' }] },
      { type: 'function_call', id: 'c2', name: 'weather', arguments: { city: 'Rome' } },
    ],
    usage: {
      total_input_tokens: 30,
      total_cached_tokens: 0,
      total_output_tokens: 10,
      total_thought_tokens: 0,
      total_tool_use_tokens: 0,
      total_tokens: 40,
    },
  })
  expect(await charged()).toBe(30 + 10 * 2)
})
