import { afterEach, expect, test } from 'bun:test'
import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { feature } from './index.ts'
import { withThoughtTable } from './queries.ts'

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const CALL_ID = 'call_7f3a'
const CLAUDE_CALL_ID = 'toolu_7f3a'

interface Upstream {
  readonly type: number
  readonly model: string
  readonly json: JsonObject
  readonly events: readonly JsonObject[]
  /** What a request must hold of the thought. */
  readonly thought: string
}

const CHAT_CALL = { id: CALL_ID, type: 'function', function: { name: 'look', arguments: '{"at": 1}' } }

const compatible = (type: number, model: string, field = 'reasoning_content'): Upstream => ({
  type,
  model,
  json: {
    id: 'c',
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          [field]: 'deep thought',
          tool_calls: [CHAT_CALL],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: USAGE,
  },
  events: [
    { [field]: 'deep ' },
    { [field]: 'thought' },
    { tool_calls: [{ index: 0, ...CHAT_CALL, function: { name: 'look', arguments: '{"at"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ': 1}' } }] },
  ]
    .map((delta): JsonObject => ({ id: 'c', model, choices: [{ index: 0, delta }] }))
    .concat({
      id: 'c',
      model,
      choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
      usage: USAGE,
    }),
  thought: '"reasoning_content":"deep thought"',
})

const THINKING = { type: 'thinking', thinking: 'deep thought', signature: 'c2lnbmVk' }
const CLAUDE_USAGE = { input_tokens: 10, output_tokens: 5 }

const CLAUDE: Upstream = {
  type: 14,
  model: 'claude-sonnet-4-5',
  json: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [THINKING, { type: 'tool_use', id: CLAUDE_CALL_ID, name: 'look', input: { at: 1 } }],
    stop_reason: 'tool_use',
    usage: CLAUDE_USAGE,
  },
  events: [
    { type: 'message_start', message: { id: 'm', model: 'claude-sonnet-4-5', usage: CLAUDE_USAGE } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'deep thought' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2lnbmVk' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: CLAUDE_CALL_ID, name: 'look', input: {} },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"at": 1}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: CLAUDE_USAGE },
    { type: 'message_stop' },
  ],
  thought: '{"type":"thinking","thinking":"deep thought","signature":"c2lnbmVk"}',
}

const GEMINI_RESPONSE = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [{ functionCall: { name: 'look', args: { at: 1 } }, thoughtSignature: 'Z2VtaW5p' }],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
}

const GEMINI: Upstream = {
  type: 24,
  model: 'gemini-3-pro-preview',
  json: GEMINI_RESPONSE,
  events: [GEMINI_RESPONSE],
  thought: '"thoughtSignature":"Z2VtaW5p"',
}

const UPSTREAMS: Readonly<Record<string, Upstream>> = {
  DeepSeek: compatible(43, 'deepseek-v4'),
  Moonshot: compatible(25, 'kimi-k2.5'),
  'MiMo at a custom address': compatible(8, 'mimo-v2-flash'),
  'Kimi at SiliconFlow': compatible(40, 'moonshotai/Kimi-K2-Thinking'),
  GLM: compatible(26, 'glm-4.7'),
  MiniMax: compatible(35, 'MiniMax-M2'),
  'DeepSeek at Ark': compatible(45, 'deepseek-v4-pro-260401'),
  'Kimi at Ali': compatible(17, 'kimi-k2.6'),
  'GLM at Qianfan': compatible(46, 'glm-5'),
  'GLM at a custom address': compatible(8, 'glm-4.7', 'reasoning'),
  'MiniMax at Xinference': compatible(47, 'minimax-m2.5', 'reasoning'),
  'MiMo at SiliconFlow': compatible(40, 'XiaomiMiMo/MiMo-V2-Flash', 'reasoning'),
  Claude: CLAUDE,
  Gemini: GEMINI,
}

const PARAMETERS = { type: 'object', properties: { at: { type: 'number' } } }

/** A client that sends back the calls of a turn without what preceded them. */
interface Client {
  readonly path: (isStream: boolean) => string
  readonly first: JsonObject
  /** The id of the call in a response, whose events are joined. */
  readonly idIn: RegExp
  readonly second: (callId: string) => JsonObject
}

const CHAT: Client = {
  path: () => '/v1/chat/completions',
  first: {
    model: 'lab',
    reasoning_effort: 'low',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'look', parameters: PARAMETERS } }],
  },
  idIn: /"tool_calls":\[\{[^[\]]*?"id":"([^"]+)"/,
  second: id => ({
    ...CHAT.first,
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...CHAT_CALL, id, function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: id, content: 'seen' },
    ],
  }),
}

const MESSAGES: Client = {
  path: () => '/v1/messages',
  first: {
    model: 'lab',
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 1500 },
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ name: 'look', input_schema: PARAMETERS }],
  },
  idIn: /"type":"tool_use"[^{}]*?"id":"([^"]+)"/,
  second: id => ({
    ...MESSAGES.first,
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'look', input: { at: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'seen' }] },
    ],
  }),
}

const RESPONSES: Client = {
  path: () => '/v1/responses',
  first: {
    model: 'lab',
    reasoning: { effort: 'low' },
    input: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', name: 'look', parameters: PARAMETERS }],
  },
  idIn: /"call_id":"([^"]+)"/,
  second: call_id => ({
    ...RESPONSES.first,
    input: [
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id, name: 'look', arguments: '{"at":1}' },
      { type: 'function_call_output', call_id, output: 'seen' },
    ],
  }),
}

const GENERATE: Client = {
  path: isStream => `/v1beta/models/lab:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  first: {
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    generationConfig: { thinkingConfig: { thinkingLevel: 'low' } },
    tools: [{ functionDeclarations: [{ name: 'look', parameters: PARAMETERS }] }],
  },
  idIn: /"functionCall":\{[^{}]*"id":"([^"]+)"/,
  second: id => ({
    ...GENERATE.first,
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { id, name: 'look', args: { at: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { id, name: 'look', response: { content: 'seen' } } }] },
    ],
  }),
}

const CLIENTS: Readonly<Record<string, Client>> = { CHAT, MESSAGES, RESPONSES, GENERATE }

let relay: TestRelay
let token: string
/** The bodies that the provider received, as texts. */
let bodies: string[] = []
afterEach(() => relay.close())

const frame = (event: JsonObject): string =>
  `${event.type ? `event: ${asString(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`

async function open(upstreams: readonly Upstream[], options = {}): Promise<void> {
  bodies = []
  relay = await TestRelay.open({
    options,
    send: async ({ url, body }) => {
      bodies.push(String(body))
      const json = asObject(JSON.parse(String(body)))
      const made = upstreams.find(({ type }) => url.includes(`/${type}/`)) ?? DEEPSEEK
      const isStream = json.stream === true || url.includes('stream')
      const end = made.type === 14 || made.type === 24 ? '' : 'data: [DONE]\n\n'
      return receivedResponse(
        isStream
          ? new Response(made.events.map(frame).join('') + end, {
              headers: { 'content-type': 'text/event-stream' },
            })
          : Response.json(made.json),
      )
    },
  })
  token = await relay.addToken()
  for (const upstream of upstreams) await addChannel(upstream)
}

const addChannel = ({ type, model }: Upstream, columns: Readonly<Record<string, string | number>> = {}) =>
  relay.addChannel({
    type,
    base_url: `http://lab.test/${type}`,
    model_mapping: JSON.stringify({ lab: model }),
    ...columns,
  })

const DEEPSEEK = compatible(43, 'deepseek-v4')

async function send(client: Client, body: JsonObject, { stream = false, key = token } = {}): Promise<string> {
  const isGemini = client === GENERATE
  const response = await relay.request(client.path(stream), key, isGemini ? body : { ...body, stream })
  expect(response.status).toBe(200)
  return response.text()
}

/** A turn with a call, and the next one. Returns the second body that the provider received. */
async function takeTurns(
  client: Client,
  { stream = false, key = token, otherKey = '', fields = {} } = {},
): Promise<string> {
  const text = await send(client, { ...client.first, ...fields }, { stream, key })
  const id = client.idIn.exec(text)?.[1]
  expect(id).toBeString()
  relay.switchProcess()
  await send(client, client.second(id ?? ''), { stream, key: otherKey || key })
  return bodies.at(-1) ?? ''
}

/** Clients of the provider's own format keep its history as they like. */
const isNative = (upstream: Upstream, client: Client): boolean =>
  (upstream === CLAUDE && client === MESSAGES) || (upstream === GEMINI && client === GENERATE)

const CASES = Object.entries(UPSTREAMS).flatMap(([provider, upstream]) =>
  Object.entries(CLIENTS).flatMap(([client, driver]) =>
    isNative(upstream, driver)
      ? []
      : [false, true].map(stream => ({ provider, client, stream, upstream, driver })),
  ),
)

test.each(CASES)(
  'gives $provider back what it thought before a call of a client of $client, streamed: $stream',
  async ({ stream, upstream, driver }) => {
    await open([upstream])
    expect(await takeTurns(driver, { stream })).toContain(upstream.thought)
  },
)

test('keeps nothing readable', async () => {
  await open([DEEPSEEK])
  await takeTurns(CHAT)
  const rows = await withThoughtTable(relay.db).selectFrom('thoughts').selectAll().execute()
  expect(rows.length).toBe(1)
  expect(JSON.stringify(rows)).not.toContain('deep thought')
  expect(JSON.stringify(rows)).not.toContain(CALL_ID)
})

test('keeps no signed thoughts that cannot be told apart', async () => {
  const content = [THINKING, { ...THINKING, signature: 'c2Vjb25k' }, ...asArray(CLAUDE.json.content).slice(1)]
  await open([{ ...CLAUDE, json: { ...CLAUDE.json, content } }])
  expect(await takeTurns(CHAT)).not.toContain('deep thought')
})

test('counts the thought as input', async () => {
  const { json } = DEEPSEEK
  const long = 'thought '.repeat(10_000)
  const message = { ...asObject(asObject(asArray(json.choices)[0]).message), reasoning_content: long }
  await open([
    { ...DEEPSEEK, json: { ...json, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] } },
  ])
  const poor = await relay.addToken({ remain: 2_000 })
  await send(CHAT, CHAT.first)
  const response = await relay.request('/v1/chat/completions', poor, CHAT.second(CALL_ID))
  expect(response.status).toBe(403)
  expect(bodies.length).toBe(1)
})

test.each([
  ['the option is off', { ThoughtsEnabled: false }, {}],
  ['the request says store: false', {}, { store: false }],
])('keeps nothing where %s', async (_, options, fields) => {
  await open([DEEPSEEK], options)
  expect(await takeTurns(CHAT, { fields })).not.toContain('deep thought')
})

test('gives a thought to nobody but its user', async () => {
  await open([DEEPSEEK])
  await send(CHAT, CHAT.first)
  const { id } = await relay.db
    .insertInto('users')
    .values({ username: 'other', aff_code: 'other', created_at: 1, quota: 1_000_000 })
    .returning('id')
    .executeTakeFirstOrThrow()
  const other = await relay.addToken({ columns: { user_id: id } })
  await send(CHAT, CHAT.second(CALL_ID), { key: other })
  expect(bodies.at(-1)).not.toContain('deep thought')
})

test.each([
  [true, false],
  [false, true],
])(
  'keeps the thoughts of limited tokens apart, made by a limited one: %p',
  async (isMadeLimited, isReadLimited) => {
    await open([DEEPSEEK])
    const limited = { columns: { model_limits_enabled: 1, model_limits: 'lab' } }
    const [key, otherKey] = [
      await relay.addToken(isMadeLimited ? limited : {}),
      await relay.addToken(isReadLimited ? limited : {}),
    ]
    expect(await takeTurns(CHAT, { key, otherKey })).not.toContain('deep thought')
    expect(await takeTurns(CHAT, { key })).toContain('deep thought')
  },
)

test.each([
  ['another provider of the same model', compatible(40, 'deepseek-ai/DeepSeek-V4')],
  ['another maker at the same provider', compatible(43, 'kimi-k2.5')],
])('gives nothing to %s', async (_, other) => {
  await open([DEEPSEEK, other])
  await relay.db.updateTable('channels').set({ status: 2 }).where('id', '=', 2).execute()
  await relay.context.channels.refresh()
  await send(CHAT, CHAT.first)
  await relay.db.updateTable('channels').set({ status: 2 }).where('id', '=', 1).execute()
  await relay.db.updateTable('channels').set({ status: 1 }).where('id', '=', 2).execute()
  await relay.context.channels.refresh()
  await send(CHAT, CHAT.second(CALL_ID))
  expect(bodies.length).toBe(2)
  expect(bodies.at(-1)).not.toContain('deep thought')
})

test('leaves what a client sends back as it is', async () => {
  await open([DEEPSEEK])
  await send(CHAT, CHAT.first)
  const messages = asArray(CHAT.second(CALL_ID).messages).map(message =>
    asObject(message).role === 'assistant' ? { ...asObject(message), reasoning_content: 'my own' } : message,
  )
  await send(CHAT, { ...CHAT.first, messages })
  expect(bodies.at(-1)).toContain('"reasoning_content":"my own"')
  expect(bodies.at(-1)).not.toContain('deep thought')
})

test('does not take a call for another one with its id', async () => {
  await open([DEEPSEEK])
  await send(CHAT, CHAT.first)
  const second = JSON.stringify(CHAT.second(CALL_ID)).replaceAll('{\\"at\\":1}', '{\\"at\\":2}')
  await send(CHAT, asObject(JSON.parse(second)))
  expect(bodies.at(-1)).toContain('{\\"at\\":2}')
  expect(bodies.at(-1)).not.toContain('deep thought')
})

test('forgets thoughts after their time, beyond the limit of their user, and with the user', async () => {
  await open([DEEPSEEK], { ThoughtsMegabytes: 1 })
  const table = withThoughtTable(relay.db)
  const count = async () => (await table.selectFrom('thoughts').select('handle').execute()).length
  const row = { user_id: relay.userId, thought_encrypted: 'x', bytes: 600_000 }
  await table
    .insertInto('thoughts')
    .values([
      { ...row, handle: 'over', expires_at: 1 },
      { ...row, handle: 'older', expires_at: 4_000_000_000 },
      { ...row, handle: 'newer', expires_at: 4_000_000_001 },
    ])
    .execute()
  await send(CHAT, CHAT.first)
  const left = await table
    .selectFrom('thoughts')
    .select('handle')
    .where('handle', 'in', ['over', 'older', 'newer'])
    .execute()
  expect(left).toEqual([{ handle: 'newer' }])
  await table.updateTable('thoughts').set({ expires_at: 1 }).execute()
  await send(CHAT, CHAT.second(CALL_ID))
  expect(bodies.at(-1)).not.toContain('deep thought')
  expect(await count()).toBeGreaterThan(0)
  await relay.db.transaction().execute(async tx => feature.on?.userDeleted?.(tx, relay.userId))
  expect(await count()).toBe(0)
})
