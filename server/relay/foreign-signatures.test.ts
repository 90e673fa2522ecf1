import { afterEach, expect, test } from 'bun:test'
import { asArray, asObject, type JsonObject } from '../provider-kit/json.ts'
import { testPrices } from '../testing/test-prices.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const OPENAI = 1
const ANTHROPIC = 14
const GEMINI = 24
const CLAUDE = 'claude-sonnet-4-5'
const SIGNATURE = 'EqoBCkgIARABGAIiQL2U+/oU=='
const THOUGHT = { type: 'thinking', thinking: 'hm', signature: SIGNATURE }

const message = {
  ...{ type: 'message', role: 'assistant', model: CLAUDE, stop_reason: 'end_turn' },
  content: [THOUGHT, { type: 'text', text: 'yes' }],
  usage: { input_tokens: 3, output_tokens: 2 },
}
const EVENTS = [
  { type: 'message_start', message: { ...message, content: [] } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: SIGNATURE } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'yes' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]
const toSse = (events: readonly object[]): string =>
  events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')

const NATIVE_REPLIES: Readonly<Record<number, object>> = {
  [OPENAI]: { id: 'resp_1', object: 'response', status: 'completed', output: [] },
  [GEMINI]: {
    id: 'int_1',
    status: 'completed',
    steps: [],
    candidates: [{ content: { parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
  },
}

let relay: TestRelay
afterEach(() => relay.close())

/** A relay with a channel of each type, for `claude-sonnet-4-5`, `gpt-5.5` and `gemini-3-pro-preview`. */
async function open() {
  const received: JsonObject[] = []
  relay = await TestRelay.open({
    prices: testPrices({ ModelRatio: { [CLAUDE]: 1, 'gpt-5.5': 1, 'gemini-3-pro-preview': 1 } }),
    send: sendThrough(async request => {
      const body = asObject(await request.json())
      received.push(body)
      const type = /interactions|generateContent/.test(request.url) ? GEMINI : OPENAI
      const isClaude = request.url.endsWith('/v1/messages')
      if (isClaude && body.stream === true)
        return new Response(toSse(EVENTS), { headers: { 'content-type': 'text/event-stream' } })
      return Response.json(isClaude ? message : NATIVE_REPLIES[type])
    }),
  })
  await relay.addChannel({ type: ANTHROPIC, models: CLAUDE })
  await relay.addChannel({ type: OPENAI, models: 'gpt-5.5' })
  await relay.addChannel({ type: GEMINI, models: 'gemini-3-pro-preview' })
  const key = await relay.addToken()
  return async (path: string, body: object) => {
    const response = await relay.request(path, key, JSON.stringify(body))
    const text = await response.text()
    expect({ status: response.status, text }).toMatchObject({ status: 200 })
    return { text, sent: received.at(-1) ?? {} }
  }
}

const eventsOf = (text: string): readonly JsonObject[] =>
  text.split('\n').flatMap(line => (line.startsWith('data: {') ? [asObject(JSON.parse(line.slice(6)))] : []))

/** A client: the body of its second turn after `turn`, and what it keeps of a response. */
interface Client {
  readonly path: (model: string, isStream: boolean) => string
  readonly body: (model: string, turn: readonly unknown[]) => JsonObject
  readonly kept: (json: JsonObject) => readonly unknown[]
  readonly keptOfStream: (events: readonly JsonObject[]) => readonly unknown[]
  readonly foreignTurn: readonly unknown[]
}

const gemini: Client = {
  path: (model, isStream) =>
    `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (_, turn) => ({
    contents: [
      { role: 'user', parts: [{ text: 'q' }] },
      ...turn,
      { role: 'user', parts: [{ text: 'and?' }] },
    ],
  }),
  kept: json => [asObject(asObject(asArray(json.candidates)[0]).content)],
  keptOfStream: events => [
    { role: 'model', parts: events.flatMap(event => asArray(asObject(gemini.kept(event)[0]).parts)) },
  ],
  foreignTurn: [
    {
      role: 'model',
      parts: [{ text: 'hm', thought: true, thoughtSignature: 'aW52ZW50ZWQ=' }, { text: 'yes' }],
    },
  ],
}
const responses: Client = {
  path: () => '/v1/responses',
  body: (model, turn) => ({
    model,
    input: [{ role: 'user', content: 'q' }, ...turn, { role: 'user', content: 'and?' }],
  }),
  kept: json => asArray(json.output),
  keptOfStream: events => responses.kept(asObject(events.at(-1)?.response)),
  foreignTurn: [
    {
      ...{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
      encrypted_content: 'invented',
    },
    { role: 'assistant', content: 'yes' },
  ],
}
const interactions: Client = {
  path: () => '/v1beta/interactions',
  body: (model, turn) => ({
    ...{ model, store: false },
    input: [
      { type: 'user_input', content: [{ type: 'text', text: 'q' }] },
      ...turn,
      { type: 'user_input', content: [{ type: 'text', text: 'and?' }] },
    ],
  }),
  kept: json => asArray(json.steps),
  keptOfStream: events => [
    {
      type: 'thought',
      signature: events.map(({ delta }) => asObject(delta).signature).find(Boolean),
      summary: [{ type: 'text', text: 'hm' }],
    },
    { type: 'model_output', content: [{ type: 'text', text: 'yes' }] },
  ],
  foreignTurn: [
    { type: 'thought', signature: 'aW52ZW50ZWQ=', summary: [{ type: 'text', text: 'hm' }] },
    { type: 'model_output', content: [{ type: 'text', text: 'yes' }] },
  ],
}
const CLIENTS: readonly (readonly [string, Client])[] = [
  ['Gemini', gemini],
  ['Responses', responses],
  ['Interactions', interactions],
]

test.each(CLIENTS)(
  'a signature that no Claude made never reaches Claude from a client of %s',
  async (_, client) => {
    const call = await open()
    const { sent } = await call(client.path(CLAUDE, false), client.body(CLAUDE, client.foreignTurn))
    expect(JSON.stringify(sent)).toContain('yes')
    expect(JSON.stringify(sent)).not.toContain('signature')
  },
)

test.each(
  CLIENTS.flatMap(([name, client]) => [false, true].map(isStream => [name, isStream, client] as const)),
)(
  '%s: Claude’s signature comes back to Claude, and to nobody else (streamed: %p)',
  async (_, isStream, client) => {
    const call = await open()
    const first = await call(client.path(CLAUDE, isStream), {
      ...client.body(CLAUDE, []),
      ...(isStream && client !== gemini && { stream: true }),
    })
    const turn = isStream
      ? client.keptOfStream(eventsOf(first.text))
      : client.kept(asObject(JSON.parse(first.text)))
    const again = await call(client.path(CLAUDE, false), client.body(CLAUDE, turn))
    expect(asObject(asArray(again.sent.messages)[1]).content).toEqual([
      THOUGHT,
      { type: 'text', text: 'yes' },
    ])
    const own = client === responses ? 'gpt-5.5' : 'gemini-3-pro-preview'
    const changed = await call(client.path(own, false), client.body(own, turn))
    const sent = JSON.stringify(changed.sent)
    expect(sent).toContain('yes')
    expect(sent).not.toContain('ignature')
    expect(sent).not.toContain('encrypted_content')
  },
)
