import { expect, test } from 'bun:test'
import type { ChatBody, ChatMessage } from '../contract/chat.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import type { JsonObject } from '../json.ts'
import { anthropicChat } from './adapters.ts'

const SONNET_3 = 'claude-3-5-sonnet-20241022'
const SONNET_4 = 'claude-sonnet-4-5-20250929'
const LATEST = 'claude-opus-4-6'

const chat = anthropicChat((_, body) => ({ url: '', headers: {}, body: JSON.stringify(body) }))

function toBody(changes: Partial<ChatBody>, model = SONNET_4): JsonObject {
  const body: ChatBody = { model: 'asked', messages: [{ role: 'user', content: 'hi' }], ...changes }
  const call: AdapterCall<ChatBody> = {
    channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
    model,
    body,
    isStream: false,
    requestId: 'r',
    nowSeconds: 0,
  }
  return JSON.parse(String(chat.request(call).body))
}
const messagesOf = (...messages: ChatMessage[]): unknown => toBody({ messages }).messages
const toolCall = (id: string, text = '{"a":1}') => ({
  id,
  type: 'function' as const,
  function: { name: 'f', arguments: text },
})

test('collects system messages from anywhere and keeps cache marks in place', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'one' },
    { role: 'user', content: 'hi' },
    { role: 'developer', content: [{ type: 'text', text: 'two' }] },
  ]
  expect(toBody({ messages })).toMatchObject({
    system: 'one\n\ntwo',
    messages: [{ role: 'user', content: 'hi' }],
  })
  const marked = { type: 'text' as const, text: 'long', cache_control: { type: 'ephemeral' } }
  expect(toBody({ messages: [{ role: 'system', content: [marked] }] }).system).toEqual([marked])
})

test("returns the results of parallel calls in one turn, before the user's text", () => {
  const messages = messagesOf(
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'Checking.', tool_calls: [toolCall('a'), toolCall('b', 'broken')] },
    { role: 'tool', tool_call_id: 'a', content: 'A' },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'B' }] },
    { role: 'user', content: 'and?' },
  )
  expect(messages).toEqual([
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Checking.' },
        { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } },
        { type: 'tool_use', id: 'b', name: 'f', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'A' },
        { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'B' }] },
        { type: 'text', text: 'and?' },
      ],
    },
  ])
})

test('starts with a user turn, drops empty turns and trims a prefilled reply', () => {
  expect(
    messagesOf(
      { role: 'user', content: '' },
      { role: 'assistant', content: null },
      { role: 'assistant', content: 'So \n' },
    ),
  ).toEqual([
    { role: 'user', content: '...' },
    { role: 'assistant', content: 'So' },
  ])
})

test('passes images by URL and documents by content', () => {
  const messages = messagesOf({
    role: 'user',
    content: [
      { type: 'image_url', image_url: 'https://x.example/a.png' },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } },
    ],
  })
  expect(messages).toMatchObject([
    {
      content: [
        { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
      ],
    },
  ])
})

test.each<[string, ChatMessage]>([
  [
    'input_audio',
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] },
  ],
  ['ftp://', { role: 'user', content: [{ type: 'image_url', image_url: 'ftp://x.example' }] }],
  ['function', { role: 'function', content: 'x' }],
])('rejects %s, which Claude does not support', (found, message) => {
  expect(() => messagesOf(message)).toThrow(found)
})

test("always sends an output limit within the model's range", () => {
  expect(toBody({}).max_tokens).toBe(8_192)
  expect(toBody({}, 'claude-3-haiku-20240307').max_tokens).toBe(4_096)
  expect(toBody({ max_tokens: 1_000_000 }, SONNET_3).max_tokens).toBe(8_192)
  expect(toBody({ max_tokens: 5, max_completion_tokens: 7 }).max_tokens).toBe(7)
})

test('prefers temperature over top_p where the model takes only one, and clamps it', () => {
  expect(toBody({ temperature: 2, top_p: 0.5 })).toMatchObject({ temperature: 1 })
  expect(toBody({ temperature: 2, top_p: 0.5 })).not.toHaveProperty('top_p')
  expect(toBody({ temperature: 0, top_p: 0.5 }, SONNET_3)).toMatchObject({ temperature: 0, top_p: 0.5 })
  expect(toBody({ top_p: 0.5 })).toMatchObject({ top_p: 0.5 })
})

test.each(['claude-opus-4-7', 'claude-opus-4-8', 'claude-opus-5', 'claude-sonnet-5-5-20261001'])(
  'leaves out the sampling that %s rejects',
  model => {
    const body = toBody({ temperature: 0.7, top_p: 0.9, top_k: 40 }, model)
    expect(Object.keys(body).filter(field => /^(temperature|top_)/.test(field))).toEqual([])
  },
)

test.each([SONNET_3, SONNET_4, LATEST, 'claude-haiku-4-5'])('keeps the temperature for %s', model => {
  expect(toBody({ temperature: 0.7 }, model)).toMatchObject({ temperature: 0.7 })
})

test('sends no text of white space alone', () => {
  expect(
    messagesOf(
      { role: 'user', content: 'go' },
      { role: 'assistant', content: ' \n', tool_calls: [toolCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
    ),
  ).toMatchObject([{}, { content: [{ type: 'tool_use', id: 'a' }] }, {}])
})

test('thinks with 80 % of the limit when the model name requests thinking', () => {
  const body = toBody(
    { max_tokens: 10_000, temperature: 0.2, top_p: 0.9 },
    'claude-3-7-sonnet-20250219-thinking',
  )
  expect(body).toMatchObject({
    model: 'claude-3-7-sonnet-20250219',
    max_tokens: 10_000,
    thinking: { type: 'enabled', budget_tokens: 8_000 },
  })
  expect(body).not.toHaveProperty('temperature')
  expect(body).not.toHaveProperty('top_p')
})

test('raises a limit that is below the minimum thinking budget', () => {
  expect(toBody({ max_tokens: 10 }, `${SONNET_4}-thinking`)).toMatchObject({
    max_tokens: 1_280,
    thinking: { budget_tokens: 1_024 },
  })
})

test.each([
  ['low', 1_280],
  ['medium', 2_048],
  ['high', 4_096],
])('maps the effort %s to a thinking budget', (reasoning_effort, budget_tokens) => {
  expect(toBody({ reasoning_effort })).toMatchObject({ thinking: { type: 'enabled', budget_tokens } })
})

test('sends an effort to models with adaptive thinking', () => {
  expect(toBody({ reasoning_effort: 'minimal' }, LATEST)).toMatchObject({
    thinking: { type: 'adaptive' },
    output_config: { effort: 'low' },
  })
})

test('does not think when the effort is none, the model cannot think, a tool is forced or earlier thinking is missing', () => {
  const tools = [{ type: 'function' as const, function: { name: 'f' } }]
  const loop: ChatMessage[] = [
    { role: 'user', content: 'go' },
    { role: 'assistant', tool_calls: [toolCall('a')] },
    { role: 'tool', tool_call_id: 'a', content: 'A' },
  ]
  expect(toBody({ reasoning_effort: 'none' })).not.toHaveProperty('thinking')
  expect(toBody({ reasoning_effort: 'high' }, SONNET_3)).not.toHaveProperty('thinking')
  expect(toBody({ reasoning_effort: 'high', tools, tool_choice: 'required' })).not.toHaveProperty('thinking')
  expect(toBody({ reasoning_effort: 'high', messages: loop })).not.toHaveProperty('thinking')
  const steered: ChatMessage[] = [...loop, { role: 'user', content: 'Faster!' }]
  expect(toBody({ reasoning_effort: 'high', messages: steered })).not.toHaveProperty('thinking')
})

test('returns thinking with its signature and keeps thinking enabled', () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'go' },
    { role: 'assistant', tool_calls: [toolCall('a')], reasoning_content: 'hm', reasoning_signature: 's' },
    { role: 'tool', tool_call_id: 'a', content: 'A' },
  ]
  const body = toBody({ reasoning_effort: 'high', messages })
  expect(body).toMatchObject({ thinking: { type: 'enabled' } })
  expect(body.messages).toMatchObject([
    {},
    { content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'tool_use' }] },
    {},
  ])
})

test.each<[ChatBody['tool_choice'], boolean | undefined, unknown]>([
  ['none', undefined, { type: 'none' }],
  ['auto', undefined, { type: 'auto' }],
  ['required', undefined, { type: 'any' }],
  [
    { type: 'function', function: { name: 'f' } },
    false,
    { type: 'tool', name: 'f', disable_parallel_tool_use: true },
  ],
  [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
  [undefined, undefined, undefined],
])('maps the tool choice %j with parallel calls %p to %j', (tool_choice, parallel_tool_calls, expected) => {
  const tools = [{ type: 'function' as const, function: { name: 'f' } }]
  const chosen = {
    tools,
    ...(tool_choice && { tool_choice }),
    ...(parallel_tool_calls === false && { parallel_tool_calls }),
  }
  expect(toBody(chosen).tool_choice).toEqual(expected)
})

test('declares tools that only occur in the history, and gives a tool without parameters an open schema', () => {
  const open = { name: 'f', input_schema: { type: 'object', properties: {} } }
  expect(toBody({ messages: [{ role: 'assistant', tool_calls: [toolCall('a')] }] }).tools).toEqual([open])
  expect(toBody({ tools: [{ type: 'function', function: { name: 'f' } }] }).tools).toEqual([open])
})

test('requests JSON by schema where the model supports it, else by instruction', () => {
  const response_format = {
    type: 'json_schema' as const,
    json_schema: { name: 'n', schema: { type: 'object' } },
  }
  expect(toBody({ response_format })).toMatchObject({
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
  })
  expect(toBody({ response_format }, SONNET_3).system).toContain('{"type":"object"}')
  expect(toBody({ response_format: { type: 'json_object' } }).system).toContain('JSON object')
})

test('drops blank stop sequences and fields that Claude lacks', () => {
  const body = toBody({ stop: [' ', 'END'], n: 2, seed: 7, presence_penalty: 1, logit_bias: {}, user: 'u' })
  expect(body).toMatchObject({ stop_sequences: ['END'], metadata: { user_id: 'u' } })
  for (const field of ['n', 'seed', 'presence_penalty', 'logit_bias', 'user'])
    expect(body).not.toHaveProperty(field)
  expect(toBody({ stop: '\n' })).not.toHaveProperty('stop_sequences')
})

test('sends the address of a PDF on, which Claude reads itself', () => {
  const file = { file_data: 'https://e.example/a.pdf' }
  expect(messagesOf({ role: 'user', content: [{ type: 'file', file }] })).toEqual([
    {
      role: 'user',
      content: [{ type: 'document', source: { type: 'url', url: 'https://e.example/a.pdf' } }],
    },
  ])
})
