import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { APIError } from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import {
  CITY,
  CITY_SCHEMA,
  type DialectSite,
  IMAGE,
  KINDS,
  OUTPUT_TOKENS,
  QUESTION,
  SENTENCE,
  startDialectSite,
} from '../harness/dialect-site.ts'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { readNamespace } from '../harness/lab-namespace.ts'
import { readSdkTypes } from '../harness/sdk-types.ts'
import { setOptions } from '../harness/set-options.ts'

const tools = ['get_weather', 'get_time'].map(name => ({
  type: 'function' as const,
  name,
  description: 'Says something of a city',
  parameters: { ...CITY_SCHEMA },
  strict: false,
}))
const USAGE = { input_tokens: 4, output_tokens: OUTPUT_TOKENS, total_tokens: 4 + OUTPUT_TOKENS }

/** A provider that speaks chat only. */
const CUSTOM = { provider: 'custom', model: 'custom-chat' } as const

let site: DialectSite
let openai: OpenAI

beforeAll(async () => {
  site = await startDialectSite()
  const models = [...KINDS, CUSTOM].map(({ model }) => model)
  await setOptions(site.root, { ModelRatio: Object.fromEntries(models.map(model => [model, 1])) })
  await addLabChannel(site.root, site.lab, { provider: 'custom', models: [CUSTOM.model] })
  openai = new OpenAI({ apiKey: site.key, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
})

afterAll(() => site?.stop())

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>

/** The response, as JSON or collected from its stream by the client. */
const ask = (body: Body, isStream: boolean): Promise<OpenAI.Responses.Response> =>
  isStream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body)

describe.each(KINDS)('the official client of the Responses API through $provider', ({ provider, model }) => {
  test('reads a JSON response with its usage, and charges for it', async () => {
    const { data: reply, response } = await openai.responses.create({ model, input: QUESTION }).withResponse()
    expect(reply).toMatchObject({ object: 'response', status: 'completed', model, output_text: SENTENCE })
    expect(reply.usage).toMatchObject(USAGE)
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ model_name: model, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
    expect(row.quota).toBeGreaterThan(4)
  })

  test('reads the same content as a stream of numbered events', async () => {
    const { data: stream, response } = await openai.responses
      .create({ model, input: QUESTION, stream: true })
      .withResponse()
    const events = await Array.fromAsync(stream)
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
    const deltas = events.map(event => (event.type === 'response.output_text.delta' ? event.delta : ''))
    expect(deltas.join('')).toBe(SENTENCE)
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error(`expected an end, found ${last?.type}`)
    expect(last.response.usage).toMatchObject(USAGE)
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ is_stream: true, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
  })

  test.each([false, true])(
    'receives two function calls with their arguments (streamed: %p)',
    async isStream => {
      const reply = await ask({ model, tools, input: 'weather? [lab: tools-2]' }, isStream)
      const calls = reply.output.filter(item => item.type === 'function_call')
      expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'get_time'])
      for (const call of calls) expect(JSON.parse(call.arguments)).toEqual(CITY)
      expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(2)
    },
  )

  test('sends a function result and receives text', async () => {
    const requested = { role: 'user' as const, content: 'weather? [lab: tools]' }
    const first = await ask({ model, tools, input: [requested] }, false)
    const [call] = first.output.filter(item => item.type === 'function_call')
    if (!call) throw new Error('expected a call, found none')
    const result = {
      type: 'function_call_output' as const,
      call_id: call.call_id,
      output: '{"celsius":21}',
    }
    const second = await ask({ model, tools, input: [requested, call, result] }, false)
    expect(second.output_text).toBe(SENTENCE)
    expect((await readNamespace(site.lab, provider)).last?.body).toContain('celsius')
  })

  test.each([false, true])('sends an image, which reaches the provider (streamed: %p)', async isStream => {
    const content = [
      { type: 'input_text' as const, text: 'what is this?' },
      {
        type: 'input_image' as const,
        image_url: `data:image/png;base64,${IMAGE}`,
        detail: 'auto' as const,
      },
    ]
    const reply = await ask({ model, input: [{ role: 'user', content }] }, isStream)
    expect(reply.output_text).toBe(SENTENCE)
    expect(reply.usage?.input_tokens).toBeGreaterThan(85)
    expect((await readNamespace(site.lab, provider)).last?.body).toContain(IMAGE)
  })

  test.each([false, true])(
    'reports a response that stopped at its token limit (streamed: %p)',
    async isStream => {
      const reply = await ask({ model, input: QUESTION, max_output_tokens: 5 }, isStream)
      expect(reply).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      })
      expect(reply.usage?.output_tokens).toBe(5)
    },
  )

  test.each([false, true])('receives the reasoning as a separate item (streamed: %p)', async isStream => {
    const reply = await ask({ model, input: 'think! [lab: reasoning-6]' }, isStream)
    const [thought] = reply.output.filter(item => item.type === 'reasoning')
    expect(thought?.summary.map(({ text }) => text).join('')).toBe('First I look at the question,')
    expect(reply.output_text).toBe(SENTENCE)
  })

  test('receives errors in the format of its own API, as JSON and inside a stream', async () => {
    const error = await ask({ model, input: '[lab: overloaded]' }, false).catch((thrown: unknown) => thrown)
    if (!(error instanceof APIError)) throw new Error('expected an error of the API')
    expect(error.error).toMatchObject({ message: expect.stringContaining('request id') })
    const stream = await openai.responses.create({ model, input: '[lab: error-event-3]', stream: true })
    const numbers: number[] = []
    const readAll = async () => {
      for await (const { sequence_number } of stream) numbers.push(sequence_number)
    }
    const failure = await readAll().catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(APIError)
    expect(failure).toMatchObject({ error: { message: expect.stringContaining('status 500') } })
    expect(numbers.length).toBeGreaterThan(2)
    expect(numbers).toEqual(numbers.map((_, index) => index))
  })
})

type SocketEvent = OpenAI.Responses.ResponsesServerEvent

/** Sends one turn over a WebSocket and collects its events. */
async function runTurn(socket: ResponsesWS, body: Body): Promise<readonly SocketEvent[]> {
  const events: SocketEvent[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const onEvent = (event: SocketEvent): void => {
    events.push(event)
    if (event.type === 'response.completed' || event.type === 'error') resolve()
  }
  socket.on('event', onEvent)
  socket.send({ type: 'response.create', ...body })
  await promise
  socket.off('event', onEvent)
  return events
}

test.each(KINDS)('the official client takes turns over a WebSocket through $provider', async ({ model }) => {
  const socket = new ResponsesWS(openai)
  // Events of the type `error` throw otherwise.
  socket.on('error', () => undefined)
  try {
    const first = await runTurn(socket, { model, input: QUESTION, store: false })
    const last = first.at(-1)
    if (last?.type !== 'response.completed') throw new Error(`expected an end, found ${JSON.stringify(last)}`)
    expect(first.map(event => event.sequence_number)).toEqual(first.map((_, index) => index))
    const second = await runTurn(socket, {
      model,
      input: 'and now?',
      store: false,
      previous_response_id: last.response.id,
    })
    expect(second.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
    const [failure] = await runTurn(socket, { model: 'unknown', input: QUESTION })
    expect(failure).toMatchObject({ type: 'error', status: 404, error: { code: 'model_not_found' } })
  } finally {
    socket.close()
  }
})

test.each(KINDS)('the official client keeps a conversation through $provider', async ({ model }) => {
  const conversation = await openai.conversations.create({
    metadata: { project: 'lab' },
    items: [{ type: 'message', role: 'user', content: 'before' }],
  })
  for (const isStream of [false, true]) {
    const reply = await ask({ model, input: QUESTION, conversation: conversation.id }, isStream)
    expect(reply.output_text).toBe(SENTENCE)
  }
  const items = await Array.fromAsync(
    openai.conversations.items.list(conversation.id, { order: 'asc', limit: 2 }),
  )
  expect(items.map(item => 'role' in item && item.role)).toEqual([
    'user',
    'user',
    'assistant',
    'user',
    'assistant',
  ])
  const [first] = items
  if (!first?.id) throw new Error('expected an item with an id')
  await openai.conversations.items.delete(first.id, { conversation_id: conversation.id })
  const changed = await openai.conversations.update(conversation.id, { metadata: { project: 'other' } })
  expect(changed.metadata).toEqual({ project: 'other' })
  expect(await openai.conversations.delete(conversation.id)).toMatchObject({ deleted: true })
})

const WITHOUT_STORE = KINDS.filter(({ provider }) => provider !== 'openai')

describe.each(WITHOUT_STORE)('responses that $provider does not store', ({ model }) => {
  test.each([false, true])('are continued, retrieved, listed and deleted, streamed: %p', async isStream => {
    const first = await ask({ model, input: QUESTION }, isStream)
    const second = await ask({ model, input: 'and now?', previous_response_id: first.id }, isStream)
    expect(second).toMatchObject({ store: true, previous_response_id: first.id, output_text: SENTENCE })
    expect(await openai.responses.retrieve(second.id)).toMatchObject({
      id: second.id,
      output_text: SENTENCE,
      usage: { ...second.usage },
    })
    const items = await Array.fromAsync(await openai.responses.inputItems.list(second.id, { limit: 2 }))
    expect(items.map(item => item.type)).toEqual(['message', 'message', 'message'])
    await openai.responses.delete(second.id)
    const deleted = await openai.responses.retrieve(second.id).catch((error: unknown) => error)
    expect(deleted).toMatchObject({ status: 404 })
    const { input_tokens } = await openai.responses.inputTokens.count({ model, input: QUESTION })
    expect(input_tokens).toBeGreaterThan(0)
  })

  test('are compacted, and continued behind the compaction', async () => {
    const compacted = await openai.responses.compact({ model, input: QUESTION })
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      usage: { output_tokens: OUTPUT_TOKENS },
    })
    const [item] = compacted.output
    if (item?.type !== 'compaction') throw new Error(`expected a compaction, found ${item?.type}`)
    const next = await openai.responses.create({ model, input: [item, { role: 'user', content: 'go on' }] })
    expect(next.output_text).toBe(SENTENCE)
    const triggered = await ask(
      { model, input: [{ role: 'user', content: QUESTION }, { type: 'compaction_trigger' }] },
      true,
    )
    expect(triggered.output.map(({ type }) => type)).toEqual(['compaction'])
  })
})

test('rejects a reference to a response that does not exist', async () => {
  const { model } = KINDS[1]
  const requested = ask({ model, input: QUESTION, previous_response_id: 'resp_1' }, false)
  const error = await requested.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 404, code: 'previous_response_not_found' })
})

test.each(KINDS)(
  'the official client follows a response in the background through $provider',
  async ({ model }) => {
    const started = await openai.responses.create({ model, input: QUESTION, background: true })
    expect(started).toMatchObject({ status: 'queued', background: true })
    const stream = await openai.responses.retrieve(started.id, { stream: true })
    const events = await Array.fromAsync(stream)
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id: started.id } })
    const rest = await openai.responses.retrieve(started.id, {
      stream: true,
      starting_after: events.length - 2,
    })
    expect(await Array.fromAsync(rest)).toEqual(events.slice(-1))
    expect(await openai.responses.retrieve(started.id)).toMatchObject({
      id: started.id,
      status: 'completed',
      output_text: SENTENCE,
    })
    expect(await openai.responses.cancel(started.id)).toMatchObject({ status: 'completed' })
  },
)

const types = readSdkTypes('openai/resources/responses/responses.d.ts', 'openai/resources/shared.d.ts')
const checkResponse = types.type('Response')
const checkEvent = types.type('ResponseStreamEvent')
/** A member that the SDK itself adds. */
const OF_SDK = /\.output_text is missing$/

/** Required by the Open Responses specification, and not by the types of the SDK. */
const OPEN_RESPONSES_FIELDS = [
  'background',
  'completed_at',
  'frequency_penalty',
  'max_output_tokens',
  'max_tool_calls',
  'presence_penalty',
  'previous_response_id',
  'prompt_cache_key',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'status',
  'store',
  'text',
  'top_logprobs',
  'truncation',
  'usage',
  'user',
]

const problemsOf = (response: unknown): readonly string[] => [
  ...checkResponse(response).filter(problem => !OF_SDK.test(problem)),
  ...OPEN_RESPONSES_FIELDS.filter(name => Object(response)[name] === undefined),
]

const send = (body: object): Promise<Response> =>
  fetch(`${site.gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function readEvents(body: object) {
  const text = await (await send({ ...body, stream: true })).text()
  const events: readonly { type: string; output_index?: number; response?: unknown }[] = text
    .split('\n\n')
    .filter(Boolean)
    .map(block => JSON.parse(block.split('\ndata: ')[1] ?? ''))
  return events
}

describe.each([...KINDS, CUSTOM])(
  'the official types and the Open Responses specification accept',
  ({ model }) => {
    const allTools = [
      ...tools,
      { type: 'custom', name: 'patch', description: 'Edits files' },
      {
        type: 'namespace',
        name: 'agents',
        description: 'Agents',
        tools: [{ type: 'function', name: 'spawn' }],
      },
    ]

    test.each([
      'tokens-3',
      'tools-4',
      'tools-4+interleaved',
      'reasoning-3',
      'reasoning-3+tools-2',
      'decline',
      'filter',
    ])(`each response and event of ${model} with the scenario %s`, async scenario => {
      const body = { model, input: `hello [lab: ${scenario}]`, tools: allTools, store: false }
      const response = await (await send(body)).json()
      expect(problemsOf(response)).toEqual([])
      const events = await readEvents(body)
      expect(events.flatMap(event => checkEvent(event)).filter(problem => !OF_SDK.test(problem))).toEqual([])
      expect(events.flatMap(event => (event.response ? problemsOf(event.response) : []))).toEqual([])
      const indexes = events.flatMap(event => event.output_index ?? [])
      expect(indexes).toEqual([...indexes].sort((one, other) => one - other))
      const contents = [response, Object(events.at(-1)).response].map(({ output }) =>
        output.map(
          ({ type, namespace, name, input, arguments: json, summary, content }: Record<string, unknown>) =>
            JSON.stringify({ type, namespace, name, input, json, summary, content }),
        ),
      )
      expect(contents[1]).toEqual(contents[0])
    })

    test(`the events of ${model} when it fails in the middle`, async () => {
      const events = await readEvents({ model, input: 'hello [lab: error-event-2]' })
      expect(events.flatMap(event => checkEvent(event)).filter(problem => !OF_SDK.test(problem))).toEqual([])
      expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
      expect(problemsOf(events.at(-1)?.response)).toEqual([])
    })

    test(`custom and namespaced calls of ${model}, and their results`, async () => {
      const body = { model, tools: allTools, store: false }
      const question = { role: 'user', content: 'go [lab: tools-4]' }
      const { output } = await (await send({ ...body, input: [question] })).json()
      const calls: readonly { type: string; name: string; call_id: string }[] = output
      expect(calls.map(call => ({ ...call }))).toMatchObject([
        { type: 'function_call', name: 'get_weather' },
        { type: 'function_call', name: 'get_time' },
        { type: 'custom_tool_call', name: 'patch', input: expect.stringContaining('Lisbon') },
        { type: 'function_call', namespace: 'agents', name: 'spawn' },
      ])
      const results = calls.map(({ type, call_id }) => ({
        type: type.replace('_call', '_call_output'),
        call_id,
        output: 'ok',
      }))
      const next = await (await send({ ...body, input: [question, ...calls, ...results] })).json()
      expect(next).toMatchObject({ status: 'completed', output: [{ type: 'message' }] })
    })
  },
)
