import { expect, test } from 'bun:test'
import type { ChatBody, ChatMessage } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { createFramer } from '../../provider-kit/framing/framers.ts'
import { chat } from './chat.ts'
import { resolveSparkVersion, toSignedUrl } from './endpoint.ts'

const SOCKET_KEY = '12345678|secret|key'
const user = (content: NonNullable<ChatMessage['content']>): ChatMessage => ({ role: 'user', content })
const image = (url: string) => ({ type: 'image_url' as const, image_url: { url } })

interface FrameOverrides extends Partial<ChatBody> {
  readonly model?: string
  readonly key?: string
  readonly baseUrl?: string
}

function callOf({
  model = 'SparkDesk-v4.0',
  key = SOCKET_KEY,
  ...request
}: FrameOverrides): AdapterCall<ChatBody> {
  const { baseUrl = 'wss://spark-api.xf-yun.com', ...body } = request
  return {
    channel: { id: 1, key, baseUrl, other: '', organization: '', setting: {} },
    model,
    body: { messages: [user('Weather in Lisbon?')], ...body, model: 'asked' },
    isStream: true,
    requestId: 'r',
    nowSeconds: 1717243200,
  }
}
const frameOf = (request: FrameOverrides) => JSON.parse(String(chat.request(callOf(request)).body))

test('matches the published signature vector', () => {
  const signing = { apiKey: 'xfApiKeyExample', apiSecret: 'xfApiSecretExample', nowSeconds: 1717243200 }
  expect(toSignedUrl('wss://spark-api.xf-yun.com/v4.0/chat', signing)).toBe(
    'wss://spark-api.xf-yun.com/v4.0/chat?authorization=YXBpX2tleT0ieGZBcGlLZXlFeGFtcGxlIiwgYWxnb3JpdGhtPSJobWFjLXNoYTI1NiIsIGhlYWRlcnM9Imhvc3QgZGF0ZSByZXF1ZXN0LWxpbmUiLCBzaWduYXR1cmU9IlhhMTlTbDlnRVlRY2VvUy9HNjgzdEhYZXo1MFJZMG90YmlmTGcyWEdOWEE9Ig%3D%3D&date=Sat%2C+01+Jun+2024+12%3A00%3A00+GMT&host=spark-api.xf-yun.com',
  )
})

test.each([
  ['SparkDesk-v3.5', '', '/v3.5/chat', 'generalv3.5'],
  ['SparkDesk', 'v3.1', '/v3.1/chat', 'generalv3'],
  ['SparkDesk', '', '/v1.1/chat', 'lite'],
  ['4.0Ultra', 'v2.1', '/v4.0/chat', '4.0Ultra'],
  ['pro-128k', 'v2.1', '/chat/pro-128k', 'pro-128k'],
  ['SparkDesk-v9.9', '', '/v9.9/chat', 'generalv9.9'],
])('sends %s on a channel with %j to %s as %s', (model, other, path, domain) => {
  expect(resolveSparkVersion(model, other)).toMatchObject({ path, domain })
})

test('sends one frame with functions and clamped numbers', () => {
  const weather = { name: 'get_weather', parameters: { type: 'object', properties: {} } }
  const request = {
    temperature: 0,
    max_tokens: 100_000,
    user: 'u',
    tools: [{ type: 'function' as const, function: weather }],
    messages: [{ role: 'system' as const, content: 'Be terse.' }, user('Weather in Lisbon?')],
  }
  expect(frameOf(request)).toEqual({
    header: { app_id: '12345678', uid: 'u' },
    parameter: { chat: { domain: '4.0Ultra', temperature: 0.01, max_tokens: 8192 } },
    payload: {
      message: {
        text: [
          { role: 'system', content: 'Be terse.' },
          { role: 'user', content: 'Weather in Lisbon?' },
        ],
      },
      functions: { text: [weather] },
    },
  })
  expect(frameOf({ ...request, tool_choice: 'none' }).payload).not.toHaveProperty('functions')
})

test('sends the system text as a user message to older versions', () => {
  const messages = [{ role: 'system' as const, content: 'Be terse.' }, user('hi')]
  expect(frameOf({ model: 'SparkDesk-v2.1', messages }).payload.message.text).toEqual([
    { role: 'user', content: 'Be terse.' },
    { role: 'assistant', content: 'Okay' },
    { role: 'user', content: 'hi' },
  ])
})

test('sends images to vision models and rejects them for others', () => {
  const messages = [user([image('data:image/png;base64,AAAA'), { type: 'text', text: 'What is this?' }])]
  expect(frameOf({ model: 'imagev3', messages }).payload.message.text).toEqual([
    { role: 'user', content: 'AAAA', content_type: 'image' },
    { role: 'user', content: 'What is this?' },
  ])
  expect(chat.request(callOf({ model: 'imagev3', messages })).url).toStartWith(
    'wss://spark-api.cn-huabei-1.xf-yun.com/v2.1/image?',
  )
  expect(() => frameOf({ messages })).toThrow('text for this model')
  const far = [user([image('https://v.example/a.png')])]
  expect(() => frameOf({ model: 'imagev3', messages: far })).toThrow('base64')
})

test('writes calls and their results as text', () => {
  const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
  const messages: ChatMessage[] = [
    user('hi'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: '21' },
  ]
  expect(frameOf({ messages }).payload.message.text).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'f({})' },
    { role: 'user', content: '21' },
  ])
})

test('uses HTTP with a key that cannot sign', () => {
  const { url, headers, body } = chat.request(callOf({ key: 'password', model: 'SparkDesk-v3.5' }))
  expect(url).toBe('https://spark-api-open.xf-yun.com/v1/chat/completions')
  expect(headers).toMatchObject({ authorization: 'Bearer password' })
  expect(JSON.parse(String(body))).toMatchObject({ model: 'generalv3.5', stream: true })
  const own = chat.request(callOf({ baseUrl: 'https://v.example', model: 'x1' }))
  expect(own).toMatchObject({
    url: 'https://v.example/v2/chat/completions',
    headers: { authorization: 'Bearer key:secret' },
  })
})

test('adds the finish reason that the provider omits from HTTP streams', () => {
  const reader = chat.stream?.(callOf({ key: 'password' }))
  const chunk = '{"code":0,"sid":"s","choices":[{"delta":{"content":"hi"},"index":0}]}'
  const events = createFramer('sse').push(new TextEncoder().encode(`data:${chunk}\n\ndata:[DONE]\n\n`))
  const pieces = events.flatMap(event => reader?.read(event) ?? [])
  expect(pieces).toMatchObject([{ type: 'start' }, { type: 'text-delta', text: 'hi' }])
  expect(reader?.end()).toMatchObject({ isComplete: true, chunks: [{ type: 'finish', reason: 'stop' }] })
})
