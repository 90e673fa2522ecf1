import { afterEach, beforeEach, expect, test } from 'bun:test'
import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { withResponseTables } from '../tables.ts'
import { waitFor } from '../testing/wait-for.ts'

const OPENAI = 1
const ANTHROPIC = 14
const GEMINI = 24
const PATH = '/v1beta/interactions'

let relay: TestRelay
let token: string
let bodies: JsonObject[] = []
/** Lets a streaming provider end its response, or cut it off. */
let finish: (isCut?: boolean) => void = () => undefined

const usage = { input_tokens: 10, output_tokens: 2 }
const CALL = { id: 'c1', name: 'weather' }
const MESSAGE = {
  type: 'message',
  role: 'assistant',
  content: [
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', ...CALL, input: { city: 'Rome' } },
  ],
  stop_reason: 'tool_use',
  usage,
}
const CREATED = { id: 'v1_of_provider', object: 'interaction', model: 'lab', status: 'in_progress' }
const TOTALS = { total_input_tokens: 10, total_output_tokens: 2 }

/** The first and the last events of each provider. */
const EVENTS: Readonly<Record<string, readonly (readonly JsonObject[])[]>> = {
  anthropic: [
    [
      { type: 'message_start', message: { id: 'm', model: 'lab', usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'look.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', ...CALL, input: {} } },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"city":' },
      },
    ],
    [
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"Rome"}' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
      { type: 'message_stop' },
    ],
  ],
  openai: [
    [
      { choices: [{ index: 0, delta: { content: 'I ' } }] },
      { choices: [{ index: 0, delta: { content: 'look.' } }] },
      {
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, id: 'c1', function: { name: 'weather', arguments: '{"city":' } }],
            },
          },
        ],
      },
    ],
    [
      {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 2 },
      },
    ],
  ],
  gemini: [
    [
      { event_type: 'interaction.created', event_id: 'x', interaction: CREATED },
      { event_type: 'step.start', index: 0, step: { type: 'model_output' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'I ' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'look.' } },
      { event_type: 'step.stop', index: 0 },
      { event_type: 'step.start', index: 1, step: { type: 'function_call', ...CALL, arguments: {} } },
      { event_type: 'step.delta', index: 1, delta: { type: 'arguments_delta', arguments: '{"city":' } },
    ],
    [
      { event_type: 'step.delta', index: 1, delta: { type: 'arguments_delta', arguments: '"Rome"}' } },
      { event_type: 'step.stop', index: 1 },
      {
        event_type: 'interaction.completed',
        interaction: { ...CREATED, status: 'requires_action', usage: TOTALS },
      },
    ],
  ],
}

/** What each of them amounts to. */
const STEPS = [
  { type: 'model_output', content: [{ type: 'text', text: 'I look.' }] },
  { type: 'function_call', ...CALL, arguments: { city: 'Rome' } },
]

const toText = (events: readonly JsonObject[] = []): string =>
  events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')

const familyOf = (url: string): string => {
  if (url.includes('/interactions')) return 'gemini'
  return url.endsWith('/messages') ? 'anthropic' : 'openai'
}

function respond(url: string, { stream }: JsonObject): Response {
  if (stream !== true) return Response.json(MESSAGE)
  const [first, last] = EVENTS[familyOf(url)] ?? []
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(toText(first)))
      finish = (isCut = false) => {
        if (!isCut) controller.enqueue(encoder.encode(toText(last)))
        controller.close()
      }
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

beforeEach(async () => {
  bodies = []
  relay = await TestRelay.open({
    send: async ({ url, body }) => {
      const json = asObject(JSON.parse(String(body)))
      bodies.push(json)
      return receivedResponse(respond(url, json))
    },
  })
  token = await relay.addToken()
})

afterEach(async () => {
  await relay.stopFeatures()
  await relay.close()
})

const request = (fields: JsonObject = {}, key = token) =>
  relay.request(PATH, key, { model: 'lab', input: 'Weather?', ...fields })

const create = async (fields: JsonObject = {}): Promise<JsonObject> =>
  asObject(await (await request(fields)).json())

async function call(path: string, method = 'GET', key = token) {
  const headers = { authorization: `Bearer sk-${key}` }
  const response = await relay.handle(new Request(`http://gateway.test${PATH}/${path}`, { method, headers }))
  return { status: response.status, text: await response.text() }
}

const read = async (path: string, method = 'GET'): Promise<JsonObject> =>
  asObject(JSON.parse((await call(path, method)).text))

const readEvents = (text: string): readonly JsonObject[] =>
  text
    .split('\n\n')
    .filter(event => event.includes('data: {'))
    .map(event => asObject(JSON.parse(event.split('data: ')[1] ?? '')))

const resume = async (id: string, after?: number): Promise<readonly JsonObject[]> => {
  const { text } = await call(`${id}?stream=true${after === undefined ? '' : `&last_event_id=${after}`}`)
  expect(text).toEndWith('data: [DONE]\n\n')
  return readEvents(text)
}

const idOf = (json: JsonObject): string => asString(json.id) ?? ''
const statusOf = async (id: string): Promise<unknown> => (await read(id)).status
async function hasEvents(): Promise<boolean> {
  const rows = await withResponseTables(relay.db)
    .selectFrom('background_events')
    .select('last_number')
    .execute()
  return rows.length > 0
}

const charges = () => relay.db.selectFrom('logs').select('quota').where('type', '=', 2).execute()

async function createStreamed(fields: JsonObject = {}, isCut = false): Promise<string> {
  const calls = bodies.length
  const response = request({ stream: true, ...fields })
  await waitFor(() => bodies.length > calls)
  finish(isCut)
  const [created] = readEvents(await (await response).text())
  return idOf(asObject(created?.interaction))
}

async function addStranger(): Promise<string> {
  const { id } = await relay.db
    .insertInto('users')
    .values({ username: 'other', aff_code: 'other', created_at: 1, quota: 1_000_000 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return relay.addToken({ columns: { user_id: id } })
}

test.each([
  ['whole', ANTHROPIC, async () => idOf(await create())],
  ['streamed', ANTHROPIC, createStreamed],
  ['streamed', OPENAI, createStreamed],
] as const)(
  'keeps a %s interaction of a provider of the type %d, to be read, continued and deleted',
  async (_, type, make) => {
    await relay.addChannel({ type })
    const id = await make()
    expect(id).toStartWith('int_')
    relay.switchProcess()
    expect(await read(id)).toMatchObject({
      id,
      object: 'interaction',
      status: 'requires_action',
      steps: STEPS,
    })
    expect((await read(`${id}?include_input=true`)).input).toEqual([
      { type: 'user_input', content: [{ type: 'text', text: 'Weather?' }] },
    ])
    const result = { type: 'function_result', call_id: 'c1', result: 'sunny' }
    const next = { previous_interaction_id: id, input: [result] }
    const second = await createStreamed(next)
    const sent = JSON.stringify(bodies.at(-1))
    for (const text of ['Weather?', 'I look.', 'Rome', 'sunny']) expect(sent).toContain(text)
    expect(sent).not.toContain('previous_interaction_id')
    expect((await read(second)).previous_interaction_id).toBe(id)
    expect(await charges()).toHaveLength(2)
    expect((await call(id, 'DELETE')).text).toBe('{}')
    expect((await call(id)).status).toBe(404)
    expect((await request({ ...next, previous_interaction_id: second })).status).toBe(404)
  },
)

test('puts content before a step, and steps among each other, in their order', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const text = (value: string) => ({ type: 'text', text: value })
  const first = await create({
    input: [text('a'), text('b'), { type: 'model_output', content: [text('c')] }, text('d')],
  })
  await create({ previous_interaction_id: idOf(first), input: text('e') })
  const turns = asArray(bodies.at(-1)?.messages).map(asObject)
  expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
  expect(JSON.stringify(turns[0])).toContain('"b"')
})

test('writes the events of a kept interaction anew', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = await createStreamed()
  const events = await resume(id)
  expect(events.map(({ event_type }) => event_type)).toEqual([
    'interaction.created',
    ...['step.start', 'step.delta', 'step.stop'],
    ...['step.start', 'step.delta', 'step.stop'],
    'interaction.completed',
  ])
  expect(await resume(id, 5)).toEqual(events.slice(6))
})

test.each([
  ['a request with store: false', { store: false }, false],
  ['a stream that broke off', {}, true],
])('keeps nothing of %s', async (_, fields, isCut) => {
  await relay.addChannel({ type: ANTHROPIC })
  await createStreamed(fields, isCut)
  expect(await withResponseTables(relay.db).selectFrom('stored_responses').select('id').execute()).toEqual([])
})

test.each([
  ['translated', ANTHROPIC],
  ['translated', OPENAI],
  ['native', GEMINI],
])('runs a %s interaction in the background (type %d) and charges it once', async (_, type) => {
  await relay.addChannel({ type, base_url: 'http://provider.test' })
  const started = await create({ background: true })
  const id = idOf(started)
  expect(started).toMatchObject({ object: 'interaction', status: 'in_progress', steps: [] })
  await waitFor(() => bodies.length > 0)
  expect([bodies[0]?.background, bodies[0]?.stream]).toEqual([undefined, true])
  expect(await statusOf(id)).toBe('in_progress')
  relay.switchProcess()
  const live = resume(id)
  await waitFor(hasEvents)
  finish()
  const events = await live
  expect(events.map(event => event.event_id)).toEqual(events.map((_event, index) => String(index)))
  expect(events.at(-1)).toMatchObject({
    event_type: 'interaction.completed',
    interaction: { id, status: 'requires_action' },
  })
  await waitFor(async () => (await statusOf(id)) === 'requires_action')
  expect(await resume(id, 3)).toEqual(events.slice(4))
  expect(await read(id)).toMatchObject({ id, steps: STEPS })
  expect(await charges()).toHaveLength(1)
  const result = { type: 'function_result', call_id: 'c1', result: 'sunny' }
  await createStreamed({ previous_interaction_id: id, input: [result] })
  expect(JSON.stringify(bodies.at(-1))).toContain('I look.')
})

test('streams an interaction in the background, which runs on when the client leaves', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const response = await request({ stream: true, background: true })
  const reader = response.body?.getReader()
  const first = new TextDecoder().decode((await reader?.read())?.value)
  const id = idOf(asObject(readEvents(first)[0]?.interaction))
  await reader?.cancel()
  finish()
  await waitFor(async () => (await statusOf(id)) === 'requires_action')
  expect(await charges()).toHaveLength(1)
})

test.each([false, true])(
  'cancels an interaction in the background, from another process: %p',
  async isOther => {
    await relay.addChannel({ type: ANTHROPIC })
    const id = idOf(await create({ background: true }))
    await waitFor(hasEvents)
    if (isOther) relay.switchProcess()
    expect(await read(`${id}/cancel`, 'POST')).toMatchObject({ id, status: 'cancelled' })
    const holds = () => relay.db.selectFrom('holds').select('request_id').execute()
    await waitFor(async () => (await holds()).length === 0)
    await relay.stopFeatures()
    expect(await read(id)).toMatchObject({ status: 'cancelled', steps: [STEPS[0], { name: 'weather' }] })
    expect((await resume(id)).at(-1)).toMatchObject({ interaction: { id, status: 'cancelled' } })
    expect(await charges()).toHaveLength(1)
  },
)

test('reports an interaction whose process died, or was stopped, as failed', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const abandoned = idOf(await create({ background: true }))
  await withResponseTables(relay.db).updateTable('background_responses').set({ alive_at: 1 }).execute()
  const stopped = idOf(await create({ background: true }))
  await waitFor(() => bodies.length > 1)
  relay.switchProcess()
  expect(await read(abandoned)).toMatchObject({ status: 'failed', errors: [{ code: 'server_error' }] })
  expect((await resume(abandoned)).at(-1)).toMatchObject({
    event_type: 'error',
    error: { code: 'server_error' },
  })
  await relay.stopFeatures()
  expect(await read(stopped)).toMatchObject({ status: 'failed', errors: [{ code: 'server_error' }] })
  expect((await resume(stopped)).at(-1)).toMatchObject({ event_type: 'error' })
})

test('names what fails before the provider responds', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  expect((await request({ background: true, store: false })).status).toBe(400)
  expect((await request({ background: true, model: 'unknown' })).status).toBe(404)
  const id = idOf(await create())
  expect((await call(`${id}/cancel`, 'POST')).status).toBe(400)
  expect((await call(`${id}?stream=true&last_event_id=x`)).status).toBe(400)
  expect(bodies).toHaveLength(1)
})

test('shows nobody what another user keeps or runs', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const kept = idOf(await create())
  const running = idOf(await create({ background: true }))
  const stranger = await addStranger()
  await waitFor(() => bodies.length > 1)
  const calls = bodies.length
  for (const id of [kept, running]) {
    for (const [path, method] of [
      [id, 'GET'],
      [`${id}?stream=true`, 'GET'],
      [`${id}?include_input=true`, 'GET'],
      [`${id}/cancel`, 'POST'],
      [id, 'DELETE'],
    ] as const)
      expect([path, (await call(path, method, stranger)).status]).toEqual([path, 404])
    const next = await request({ previous_interaction_id: id }, stranger)
    expect([next.status, asObject((await next.json()).error).status]).toEqual([404, 'NOT_FOUND'])
  }
  expect(bodies.length).toBe(calls)
})
