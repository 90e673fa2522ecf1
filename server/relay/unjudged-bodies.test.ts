import { afterEach, expect, test } from 'bun:test'
import { asObject, type JsonObject } from '../provider-kit/json.ts'
import { receivedResponse } from '../testing/received-response.ts'
import { TestRelay } from '../testing/test-relay.ts'

const OPENAI = 1
const CUSTOM = 8
const ANTHROPIC = 14
const GEMINI = 24

let relay: TestRelay
let received: JsonObject[] = []
let receivedText = ''
let receivedHeaders: Readonly<Record<string, string>> = {}

afterEach(() => relay.close())

const USER = { role: 'user', content: 'hi' }
const REPLIES: Readonly<Record<number, JsonObject>> = {
  [OPENAI]: {
    id: 'resp_1',
    status: 'completed',
    output: [
      { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] },
    ],
    usage: { input_tokens: 3, output_tokens: 1 },
  },
  [ANTHROPIC]: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'yes' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 1 },
  },
  [GEMINI]: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'yes' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 },
  },
}

const PROVIDER_HEADERS = {
  'x-request-id': 'req_provider',
  'request-id': 'req_provider',
  'x-ratelimit-remaining-tokens': '7',
  'anthropic-ratelimit-tokens-remaining': '8',
  'anthropic-ratelimit-unified-overage-status': 'allowed',
  'x-codex-turn-state': 'turn',
  'openai-organization': 'org-of-the-operator',
  'set-cookie': 'a=b',
}

async function send(
  type: number,
  path: string,
  body: JsonObject | string,
  headers: Record<string, string> = {},
) {
  received = []
  relay = await TestRelay.open({
    options: { UnknownAccountIds: 'everyone' },
    send: async request => {
      const text =
        request.body instanceof Uint8Array ? new TextDecoder().decode(request.body) : String(request.body)
      received.push(asObject(JSON.parse(text)))
      receivedText = text
      receivedHeaders = request.headers
      return receivedResponse(Response.json(REPLIES[type] ?? {}, { headers: PROVIDER_HEADERS }))
    },
  })
  await relay.addChannel({ type })
  const response = await relay.request(path, await relay.addToken(), body, headers)
  return {
    status: response.status,
    text: await response.text(),
    headers: Object.fromEntries(response.headers),
  }
}

const RESPONSES: readonly (readonly [string, JsonObject])[] = [
  ['object arguments', { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: { a: 1 } }] }],
  ['an item of a later API', { input: [{ type: 'function_call', later: true }] }],
  [
    'a computer call',
    { input: [{ type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot' } }] },
  ],
  ['a shell call', { input: [{ type: 'shell_call_output', call_id: 'c', output: [{ stdout: 'x' }] }] }],
  ['a prompt without input', { prompt: { id: 'pmpt_1' } }],
  ['an empty input', { input: [] }],
  ['a later kind of field', { input: 'hi', temperature: { later: true } }],
]

test.each(RESPONSES)('passes %s to a provider of the Responses API as it is', async (_, fields) => {
  const body = { model: 'lab', ...fields }
  expect(await send(OPENAI, '/v1/responses', body)).toMatchObject({ status: 200 })
  expect(received).toEqual([body])
})

test('passes blocks that it does not know to Anthropic', async () => {
  const content = [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'search_result', source: 5 }] }]
  const body = {
    model: 'lab',
    max_tokens: 5,
    messages: [
      { role: 'user', content },
      { role: 'later', content: {} },
    ],
  }
  expect(await send(ANTHROPIC, '/v1/messages', body)).toMatchObject({ status: 200 })
  expect(received).toEqual([body])
})

test('passes parts that it does not know to Gemini', async () => {
  const body = {
    contents: [{ parts: [{ text: { later: true } }] }],
    generationConfig: { maxOutputTokens: 5 },
  }
  expect(await send(GEMINI, '/v1beta/models/lab:generateContent', body)).toMatchObject({ status: 200 })
  expect(received).toEqual([body])
})

test.each([
  ['/v1/responses', { model: 'lab', input: 5 }, /input/],
  ['/v1/messages', { model: 'lab', max_tokens: 5, messages: [{ ...USER, content: 5 }] }, /messages\[0\]/],
  ['/v1beta/models/lab:generateContent', { contents: 5 }, /contents/],
  ['/v1/messages', { model: 'lab', max_tokens: 5, messages: [USER], safeguards: { a: 1 } }, /safeguards/],
  ['/v1/messages', { model: 'lab', max_tokens: 5, messages: [USER], thread: { id: 'th_1' } }, /thread/],
] as const)('rejects a body of %s by name where it must be translated', async (path, body, says) => {
  const { status, text } = await send(CUSTOM, path, body)
  expect([status, received]).toEqual([400, []])
  expect(text).toMatch(says)
})

test.each([
  ['/v1/responses', { input: 'hi' }],
  ['/v1/responses', { model: 5, input: 'hi' }],
  ['/v1/responses', { model: 'lab', input: 'hi', background: true, store: false }],
  ['/v1/messages', { messages: [USER] }],
] as const)('rejects %s %j without a call, whoever serves it', async (path, body) => {
  const { status } = await send(path === '/v1/messages' ? ANTHROPIC : OPENAI, path, body)
  expect([status, received]).toEqual([400, []])
})

test.each([
  [OPENAI, '/v1/responses', '"input":"hi"'],
  [ANTHROPIC, '/v1/messages', '"max_tokens":5,"messages":[{"role":"user","content":"hi"}]'],
] as const)('keeps the digits of every number for provider %d', async (type, path, fields) => {
  const tools = '"tools":[{"later":[12345678901234567890,1e400,0.1234567890123456789,-0.5,1E2]}]'
  expect(await send(type, path, `{"model":"lab",${fields},${tools}}`)).toMatchObject({ status: 200 })
  expect(receivedText).toContain(tools)
})

test('passes headers that carry meaning in both directions, and no others', async () => {
  const sent = { 'session-id': 's', 'x-codex-turn-state': 'before', 'openai-beta': 'b', 'x-secret': 'x' }
  const { headers } = await send(OPENAI, '/v1/responses', { model: 'lab', input: 'hi' }, sent)
  expect(receivedHeaders).toMatchObject({
    'session-id': 's',
    'x-codex-turn-state': 'before',
    'openai-beta': 'b',
  })
  expect(receivedHeaders).not.toHaveProperty('x-secret')
  expect(headers).toMatchObject({
    'x-request-id': 'req_provider',
    'x-ratelimit-remaining-tokens': '7',
    'x-codex-turn-state': 'turn',
  })
  expect(headers).not.toHaveProperty('openai-organization')
  expect(headers).not.toHaveProperty('set-cookie')
})

test('keeps the limits of the own account from clients of the same provider', async () => {
  const { headers } = await send(ANTHROPIC, '/v1/messages', { model: 'lab', max_tokens: 5, messages: [USER] })
  expect(headers).toMatchObject({ 'request-id': 'req_provider' })
  expect(Object.keys(headers).filter(name => name.startsWith('anthropic-ratelimit-'))).toEqual([])
})

test('passes no headers of a provider that speaks another dialect', async () => {
  const { headers } = await send(ANTHROPIC, '/v1/chat/completions', { model: 'lab', messages: [USER] })
  expect(headers).not.toHaveProperty('x-request-id')
  expect(headers).not.toHaveProperty('anthropic-ratelimit-tokens-remaining')
})
