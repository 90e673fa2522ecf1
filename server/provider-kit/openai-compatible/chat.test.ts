import { expect, test } from 'bun:test'
import type { ChatBody, ChatChunk, ChatMessage } from '../contract/chat.ts'
import type { AdapterCall, ChannelView, StreamEvent, StreamPiece } from '../contract/operation-adapter.ts'
import { asObject, type JsonObject } from '../json.ts'
import { openaiCompatibleChat, toReasoningModelBody, withoutExtensions } from './chat.ts'
import { OPENAI_RULES } from './rules.ts'

const channel: ChannelView = {
  id: 1,
  key: 'secret',
  baseUrl: 'https://provider.example',
  other: '',
  organization: '',
  setting: {},
}
const body: ChatBody = { model: 'asked', messages: [{ role: 'user', content: 'hi' }] }
const callOf = (changes: Partial<AdapterCall<ChatBody>> = {}): AdapterCall<ChatBody> => ({
  channel,
  model: 'mapped',
  body,
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
  ...changes,
})
const chat = openaiCompatibleChat()
const sentBy = (adapter: typeof chat, call: AdapterCall<ChatBody>): JsonObject =>
  asObject(JSON.parse(String(adapter.request(call).body)))
const event = (json: unknown): StreamEvent => ({ data: JSON.stringify(json), raw: '' })

function read(...chunks: readonly unknown[]): readonly StreamPiece<ChatChunk>[] {
  const reader = chat.stream?.(callOf({ isStream: true }))
  return chunks.flatMap(chunk => reader?.read(event(chunk)) ?? [])
}

test('sends the mapped model name and leaves unknown fields and zeros unchanged', () => {
  const given = { ...body, temperature: 0, metadata: { a: 1 }, unheard_of: null, constructor: 1 }
  expect(sentBy(chat, callOf({ body: given }))).toEqual({ ...given, model: 'mapped' })
})

test('always requests usage in a stream and keeps the other stream options', () => {
  const given = { ...body, stream_options: { include_usage: false, include_obfuscation: false } }
  expect(sentBy(chat, callOf({ body: given, isStream: true }))).toMatchObject({
    stream: true,
    stream_options: { include_usage: true, include_obfuscation: false },
  })
})

test('sends no stream options without a stream or to a provider that rejects them', () => {
  const given = { ...body, stream_options: { include_usage: true } }
  expect(sentBy(chat, callOf({ body: given }))).not.toHaveProperty('stream_options')
  const refusing = openaiCompatibleChat({ rejectsStreamOptions: true })
  expect(sentBy(refusing, callOf({ body: given, isStream: true }))).not.toHaveProperty('stream_options')
})

test('applies the adjustments that a provider declares', () => {
  const provider = openaiCompatibleChat({
    path: '/chat/completions',
    rename: { seed: 'random_seed' },
    drop: ['user'],
    clamp: { temperature: [0, 1.5] },
    adjust: sent => ({ ...sent, extra: true }),
  })
  const given = { ...body, seed: 7, user: 'u', temperature: 2 }
  expect(provider.request(callOf()).url).toBe('https://provider.example/chat/completions')
  expect(sentBy(provider, callOf({ body: given }))).toEqual({
    ...body,
    model: 'mapped',
    random_seed: 7,
    temperature: 1.5,
    extra: true,
  })
})

test.each([
  ['https://provider.example', 'https://provider.example/v1/chat/completions'],
  ['https://provider.example/v1', 'https://provider.example/v1/chat/completions'],
  [
    'https://gateway.ai.cloudflare.com/v1/a/g/openai',
    'https://gateway.ai.cloudflare.com/v1/a/g/openai/chat/completions',
  ],
])('resolves the base URL %s to %s', (baseUrl, url) => {
  expect(chat.request(callOf({ channel: { ...channel, baseUrl } })).url).toBe(url)
})

test('names the organization where the channel has one', () => {
  const { headers } = chat.request(callOf({ channel: { ...channel, organization: 'org-1' } }))
  expect(headers).toMatchObject({ authorization: 'Bearer secret', 'openai-organization': 'org-1' })
})

test('reads every choice of a complete response', () => {
  const choices = [0, 1].map(index => ({ index, message: { content: `c${index}` }, finish_reason: 'length' }))
  expect(chat.reply({ choices }, callOf())).toMatchObject({
    kind: 'reply',
    reply: { choices: [{ text: 'c0', finish: 'length' }, { text: 'c1' }] },
    usage: undefined,
  })
})

test.each([
  [{ error: { message: 'slow down', type: 'rate_limit_error' } }, 429],
  [{ hello: 1 }, 502],
  ['<html>', 502],
])('reads %j with status 200 as a failure', (json, status) => {
  expect(chat.reply(json, callOf())).toMatchObject({ kind: 'failure', failure: { status } })
})

test('separates choices that interleave in a stream', () => {
  const delta = (index: number, content: string) => ({ choices: [{ index, delta: { content } }] })
  expect(read(delta(0, 'a'), delta(1, 'b'), delta(0, 'c'))).toEqual([
    { type: 'start', id: undefined, model: undefined },
    { type: 'text-delta', text: 'a', choice: 0 },
    { type: 'text-delta', text: 'b', choice: 1 },
    { type: 'text-delta', text: 'c', choice: 0 },
  ])
})

test('separates tool calls by id where a provider omits the index', () => {
  const call = (fields: object) => ({ choices: [{ delta: { tool_calls: [fields] } }] })
  const pieces = read(
    call({ id: 'a', function: { name: 'f', arguments: '{' } }),
    call({ function: { arguments: '}' } }),
    call({ id: 'b', function: { name: 'g', arguments: '{}' } }),
  )
  expect(pieces.slice(1)).toMatchObject([
    { type: 'tool-call-start', index: 0, id: 'a', arguments: '{' },
    { type: 'tool-arguments-delta', index: 0, text: '}' },
    { type: 'tool-call-start', index: 1, id: 'b', arguments: '{}' },
  ])
})

test('ignores a first chunk without choices and with an empty id', () => {
  expect(read({ id: '', choices: [] }, { id: 'x', choices: [{ delta: {} }] })).toEqual([
    { type: 'start', id: 'x', model: undefined },
  ])
})

const DETAIL = { type: 'reasoning.text', text: 'a' }

test.each<[string, object]>([
  ['reasoning_content', { reasoning_content: 'a' }],
  ['reasoning', { reasoning: 'a', reasoning_content: null }],
  ['reasoning_text', { reasoning_text: 'a', reasoning_content: '' }],
  ['thinking', { thinking: 'a' }],
  ['an object', { reasoning: { content: 'a' } }],
  ['details', { reasoning_details: [DETAIL, { type: 'reasoning.encrypted', data: 'x' }] }],
  ['a summary', { reasoning_details: [{ type: 'reasoning.summary', summary: 'a' }] }],
  ['two names for one text', { reasoning: 'a', reasoning_details: [DETAIL] }],
  ['a part of the content', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }] }],
  ['a plain part of the content', { content: [{ type: 'reasoning', text: 'a' }] }],
])('reads reasoning as %s, whole and streamed', (_, message) => {
  expect(read({ choices: [{ delta: message }] }).slice(1)).toEqual([
    { type: 'reasoning-delta', text: 'a', choice: 0 },
  ])
  const result = chat.reply({ choices: [{ message, finish_reason: 'stop' }] }, callOf())
  expect(result).toMatchObject({ reply: { choices: [{ reasoning: 'a', text: '' }] } })
})

test.each([
  {},
  { reasoning: '' },
  { reasoning: null },
  { reasoning: 7 },
  { reasoning_details: [{ data: 'x' }] },
])('reads no reasoning from %j', message => {
  expect(read({ choices: [{ delta: message }] }).slice(1)).toEqual([])
})

test('uses the last of several cumulative usages', () => {
  const reader = chat.stream?.(callOf({ isStream: true }))
  for (const completion_tokens of [1, 5])
    reader?.read(event({ choices: [], usage: { prompt_tokens: 3, completion_tokens } }))
  expect(reader?.end()).toMatchObject({ usage: { input: 3, output: 5 }, isComplete: false })
})

test('reads an event that is not JSON as a broken stream', () => {
  const reader = chat.stream?.(callOf({ isStream: true }))
  expect(reader?.read({ data: '{"choices":[{"del', raw: '' })).toMatchObject([
    { type: 'failure', failure: { status: 502 } },
  ])
})

test('sends only the fields and roles that a provider supports', () => {
  const provider = openaiCompatibleChat({
    only: ['model', 'messages'],
    rules: { rejectsDeveloperRole: true },
  })
  const messages = [{ role: 'developer', content: 'be brief' }] as const
  expect(sentBy(provider, callOf({ body: { ...body, messages, user: 'u' } }))).toEqual({
    model: 'mapped',
    messages: [{ role: 'system', content: 'be brief' }],
  })
})

test("passes responses through only where they match OpenAI's format", () => {
  expect(chat.nativeFormat).toBe('openai')
  expect(openaiCompatibleChat({ isRewritten: true })).not.toHaveProperty('wire')
})

test("finds a provider's hidden failure in complete responses and in streams", () => {
  const failure = { status: 429, code: 'slow', message: 'slow down' }
  const provider = openaiCompatibleChat({ readFailure: json => (json.code === 7 ? failure : undefined) })
  expect(provider.reply({ code: 7, choices: [] }, callOf())).toEqual({ kind: 'failure', failure })
  const reader = provider.stream?.(callOf({ isStream: true }))
  expect(reader?.read(event({ code: 7 }))).toEqual([{ type: 'failure', failure }])
  expect(reader?.read(event({ error: { message: 'm', type: 'server_error' } }))).toMatchObject([
    { type: 'failure', failure: { status: 500 } },
  ])
})

test('reads content and reasoning that come in parts', () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
    { type: 'reference', reference_ids: [1] },
    { type: 'text', text: 'yes' },
  ]
  expect(chat.reply({ choices: [{ message: { content } }] }, callOf())).toMatchObject({
    reply: { choices: [{ text: 'yes', reasoning: 'hm' }] },
  })
})

test.each([
  ['prompt_cache_hit_tokens', { prompt_cache_hit_tokens: 2 }],
  ['cached_tokens', { cached_tokens: 2 }],
  ['num_cached_tokens', { num_cached_tokens: 2 }],
])('reads cached tokens from %s', (_, cached) => {
  const usage = { prompt_tokens: 5, completion_tokens: 1, ...cached }
  expect(chat.reply({ choices: [], usage }, callOf())).toMatchObject({ usage: { input: 3, cachedInput: 2 } })
})

const streamedUsage = { prompt_tokens: 5, completion_tokens: 1 }
test.each([
  ['the chunk', { choices: [], usage: streamedUsage }],
  ['its choice', { choices: [{ index: 0, delta: {}, usage: streamedUsage }] }],
  ['a field of the server', { choices: [], x_groq: { id: 'r', usage: streamedUsage } }],
])('reads the usage of a stream in %s', (_, chunk) => {
  const reader = chat.stream?.(callOf({ isStream: true }))
  reader?.read(event(chunk))
  expect(reader?.end().usage).toMatchObject({ input: 5, output: 1 })
})

test('ignores a last event that repeats the complete response', () => {
  const repeated = { choices: [{ message: { content: 'ab' }, finish_reason: 'stop' }] }
  const pieces = read({ choices: [{ delta: { content: 'ab' }, finish_reason: 'stop' }] }, repeated)
  expect(pieces.filter(({ type }) => type === 'text-delta' || type === 'finish')).toHaveLength(2)
})

test.each(['error', 'network_error'])('reads the finish reason %s as a failure', finish_reason => {
  const failure = { status: 502, code: finish_reason }
  const choices = [{ message: { content: 'half' }, delta: {}, finish_reason }]
  expect(chat.reply({ choices }, callOf())).toMatchObject({ kind: 'failure', failure })
  expect(read({ choices })).toMatchObject([{ type: 'failure', failure }])
})

test.each([
  [{ max_completion_tokens: 9, max_tokens: 5 }, 9],
  [{ max_tokens: 5, max_completion_tokens: 9 }, 9],
  [{ max_tokens: 5, max_completion_tokens: null }, 5],
])('merges the renamed limit of %j unless it is null', (limits, sent) => {
  const provider = openaiCompatibleChat({ rename: { max_completion_tokens: 'max_tokens' } })
  expect(sentBy(provider, callOf({ body: { ...body, ...limits } }))).toEqual({
    ...body,
    model: 'mapped',
    max_tokens: sent,
  })
})

const cache_control = { type: 'ephemeral' }
const bodyOf = (messages: readonly ChatMessage[], fields: Partial<ChatBody> = {}): ChatBody => ({
  model: 'm',
  messages,
  ...fields,
})

test('drops extensions that a provider lacks and keeps those it supports', () => {
  const body = bodyOf(
    [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'a', cache_control },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: 'yo', reasoning_content: 'hm', reasoning_signature: 's' },
    ],
    { top_k: 4, tools: [{ type: 'function', function: { name: 'f' }, cache_control }] },
  )
  expect(withoutExtensions(body, [])).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'a\nb' },
      { role: 'assistant', content: 'yo' },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
  })
  expect(withoutExtensions(body, ['top_k', 'reasoning_content', 'cache_control'])).toMatchObject({
    top_k: 4,
    messages: [{ content: [{ cache_control }, { text: 'b' }] }, { reasoning_content: 'hm' }],
    tools: [{ cache_control }],
  })
})

test('tells instructions of developers as system messages', () => {
  expect(withoutExtensions(bodyOf([{ role: 'developer', content: 'a' }]), []).messages).toEqual([
    { role: 'system', content: 'a' },
  ])
})

test("gives the schemas of another format's tools their properties", () => {
  const tool = (parameters: JsonObject) => ({
    type: 'function' as const,
    function: { name: 'f', parameters },
  })
  const filled = tool({ type: 'object', properties: { a: {} } })
  const tools = [tool({ type: 'object' }), filled]
  const given = callOf({ body: bodyOf([], { tools }) })
  expect(sentBy(chat, { ...given, isTranslated: true }).tools).toEqual([
    tool({ type: 'object', properties: {} }),
    filled,
  ])
  expect(sentBy(chat, given).tools).toEqual(tools)
})

test('moves images of tool results behind the last neighbouring result', () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA' } }
  const body = bodyOf([
    { role: 'tool', tool_call_id: 'a', content: [image] },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'sun' }, image] },
    { role: 'tool', tool_call_id: 'c', content: 'noon' },
    { role: 'user', content: 'go on' },
  ])
  expect(withoutExtensions(body, []).messages).toMatchObject([
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text' }] },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'sun' }] },
    { role: 'tool', tool_call_id: 'c', content: 'noon' },
    { role: 'user', content: [image, image] },
    { role: 'user', content: 'go on' },
  ])
})

const messages: readonly ChatMessage[] = [
  { role: 'system', content: 's' },
  { role: 'user', content: 'u' },
]

const openai = openaiCompatibleChat({ rules: OPENAI_RULES, adjust: toReasoningModelBody })

test.each(['gpt-4o', 'gpt-5-chat-latest', 'text-embedding-3-small', 'omni'])('leaves %s unchanged', model => {
  const body = { model, messages, temperature: 0, max_tokens: 5 }
  expect(toReasoningModelBody(body)).toBe(body)
})

test.each(['o1', 'o3-mini', 'o4-mini-2025-04-16', 'gpt-5', 'gpt-5-mini', 'gpt-6-sol', 'gpt-6.1-terra'])(
  'gives %s the newer limit and no sampling parameters',
  model => {
    const body = { model, messages, temperature: 0.2, top_p: 1, logit_bias: {}, max_tokens: 5, stop: ['x'] }
    expect(sentBy(openai, callOf({ body, model }))).toEqual({
      model,
      messages: [{ role: 'developer', content: 's' }, messages[1]],
      max_completion_tokens: 5,
      stop: ['x'],
    })
  },
)

const anyServer = openaiCompatibleChat()

test.each([
  ['gpt-5-mini', { max_completion_tokens: 5 }],
  ['openai/o3', { max_completion_tokens: 5 }],
  ['claude-opus-4-8', { max_tokens: 5 }],
  ['anthropic/claude-opus-4.7', { max_tokens: 5 }],
  ['anthropic/claude-sonnet-4.5', { max_tokens: 5, temperature: 0.2, top_p: 1 }],
  ['qwen3-max', { max_tokens: 5, temperature: 0.2, top_p: 1 }],
])('gives %s, whoever serves it, what it takes of requests of other formats', (model, expected) => {
  const body = { model, messages: [], temperature: 0.2, top_p: 1, max_tokens: 5 }
  expect(sentBy(anyServer, callOf({ body, model, isTranslated: true }))).toEqual({
    model,
    messages: [],
    ...expected,
  })
  expect(sentBy(anyServer, callOf({ body, model }))).toEqual(body)
})

test('sends the system message as a user message to models without a system role', () => {
  expect(toReasoningModelBody({ model: 'o1-mini', messages }).messages).toMatchObject([
    { role: 'user' },
    { role: 'user' },
  ])
})

test('reads the effort from the end of the model name', () => {
  expect(toReasoningModelBody({ model: 'o3-mini-2025-01-31-high', messages })).toMatchObject({
    model: 'o3-mini-2025-01-31',
    reasoning_effort: 'high',
  })
})

test('keeps the limit that the client sends under its newer name', () => {
  expect(
    toReasoningModelBody({ model: 'o3', messages, max_tokens: 5, max_completion_tokens: 9 }),
  ).toMatchObject({
    max_completion_tokens: 9,
  })
})

test.each([
  ['gpt-5.1', {}, 1],
  ['gpt-5.1', { isTranslated: true }, 1],
  ['gpt-5', {}, 1],
  ['gpt-5', { isTranslated: true }, undefined],
])('keeps sampling parameters of %s where it is sent the effort none: %j', (model, changes, sent) => {
  const body = { model, messages, temperature: 1, reasoning_effort: 'none' }
  expect(sentBy(openai, callOf({ body, model, ...changes })).temperature).toBe(sent)
})

test('keeps sampling parameters where the name of the model asks for the effort none', () => {
  const body = { model: 'gpt-5.1-none', messages, temperature: 1 }
  expect(sentBy(openai, callOf({ body, model: body.model }))).toMatchObject({
    model: 'gpt-5.1',
    reasoning_effort: 'none',
    temperature: 1,
  })
})

test('requests the lowest effort of the model for a translated request with the effort none', () => {
  const body = (model: string) =>
    toReasoningModelBody({ model, messages: [], reasoning_effort: 'none' }, { isTranslated: true })
  expect(body('o3').reasoning_effort).toBe('low')
  expect(body('gpt-5-mini').reasoning_effort).toBe('minimal')
  expect(body('gpt-5.1').reasoning_effort).toBe('none')
  expect(body('gpt-4o')).not.toHaveProperty('reasoning_effort')
})
