import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAnthropicStreamReader } from '../../provider-kit/anthropic-messages/response.ts'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { createFramer } from '../../provider-kit/framing/framers.ts'
import { chat, native } from './chat.ts'

const body: ChatBody = { model: 'asked', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 64 }
const callOf = (key: string, model: string, isStream = false): AdapterCall<ChatBody> => ({
  channel: { id: 1, key, baseUrl: '', other: '', organization: '', setting: {} },
  model,
  body,
  isStream,
  requestId: 'r',
  nowSeconds: Date.UTC(2025, 5, 1, 12) / 1000,
})
const pathOf = (region: string, model: string) =>
  new URL(chat.request(callOf(`A|S|${region}`, model)).url).pathname

test('puts the model id into the URL and removes it from the body', () => {
  const request = chat.request(callOf('A|S|us-east-1', 'claude-3-5-sonnet-20240620'))
  expect(request.url).toBe(
    'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/invoke',
  )
  expect(JSON.parse(String(request.body))).toEqual({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 64,
    messages: [{ role: 'user', content: 'Hello' }],
  })
})

test('signs the final body instead of the original one', () => {
  const request = chat.request(callOf('A|S|us-east-1', 'claude-2.1'))
  expect(request.headers).not.toHaveProperty('authorization')
  const signed = request.sign?.(String(request.body))
  expect(signed?.authorization).toStartWith(
    'AWS4-HMAC-SHA256 Credential=A/20250601/us-east-1/bedrock/aws4_request',
  )
  expect(request.sign?.('{}').authorization).not.toBe(signed?.authorization)
})

test('sends an API key as a bearer token and rejects malformed keys', () => {
  const request = chat.request(callOf('key|eu-west-1', 'claude-2.1'))
  expect(request).toMatchObject({ headers: { authorization: 'Bearer key' } })
  expect(request.sign).toBeUndefined()
  expect(() => chat.request(callOf('key', 'claude-2.1'))).toThrow('Ak|Sk|Region')
})

test("calls newer models through the region's profile and keeps ids that an operator sets", () => {
  const sonnet = 'claude-3-7-sonnet-20250219'
  expect(pathOf('us-west-2', sonnet)).toContain('/us.anthropic.claude-3-7-sonnet-20250219-v1%3A0/')
  expect(pathOf('eu-west-1', sonnet)).toContain('/eu.anthropic.')
  expect(pathOf('ap-northeast-1', sonnet)).toContain('/apac.anthropic.')
  expect(pathOf('ap-northeast-1', 'claude-sonnet-4-5-20250929')).toContain('/global.anthropic.')
  expect(pathOf('us-east-1', `${sonnet}-thinking`)).toContain('-20250219-v1%3A0/')
  expect(pathOf('us-east-1', 'eu.anthropic.claude-2')).toContain('/eu.anthropic.claude-2/')
  expect(pathOf('us-east-1', 'arn:aws:bedrock:x/y')).toContain('/arn%3Aaws%3Abedrock%3Ax%2Fy/')
})

test('uses the streaming URL for streams and rejects images by URL', () => {
  expect(chat.request(callOf('A|S|cn-north-1', 'claude-2.1', true)).url).toBe(
    'https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/anthropic.claude-v2%3A1/invoke-with-response-stream',
  )
  const image = { type: 'image_url' as const, image_url: { url: 'https://v.example/a.png' } }
  const call = callOf('A|S|us-east-1', 'claude-2.1')
  const nativeBody = { ...call, body: { ...body, messages: [{ role: 'user' as const, content: [image] }] } }
  expect(() => chat.request(nativeBody)).toThrow('base64 data URL')
})

test('reads a recorded stream with a broken checksum as an error', () => {
  const text = readFileSync(join(import.meta.dir, 'fixtures/stream.eventstream.b64.txt'), 'utf8')
  const bytes = Buffer.from(text, 'base64')
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 20) ^ 1, bytes.length - 20)
  expect(() => createFramer('aws-event-stream').push(bytes)).toThrow('broken checksum')
})

const nativeCall = (model: string, isStream = false) => ({
  ...callOf('A|S|us-east-1', model, isStream),
  body: { model: 'asked', max_tokens: 64, messages: [], unheard_of: [1], stream: isStream },
  forwardedHeaders: {
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'claude-code-20250219, context-1m-2025-08-07',
  },
})

test("forwards a Claude client's body with its beta features in the body", () => {
  const { url, body: sent } = native.request(nativeCall('claude-3-7-sonnet-20250219-thinking'))
  expect(url).toContain('/us.anthropic.claude-3-7-sonnet-20250219-v1%3A0/invoke')
  expect(JSON.parse(String(sent))).toEqual({
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['context-1m-2025-08-07'],
    max_tokens: 1_280,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    messages: [],
    unheard_of: [1],
  })
})

test('unwraps the events for a Claude client exactly as Claude would send them', () => {
  const text = readFileSync(join(import.meta.dir, 'fixtures/stream.eventstream.b64.txt'), 'utf8')
  const events = createFramer('aws-event-stream').push(Buffer.from(text, 'base64'))
  const raw = events.map(event => native.unwrap?.(event).raw).join('')
  const inner = createFramer('sse').push(new TextEncoder().encode(raw))
  expect(inner[0]).toMatchObject({ name: 'message_start' })
  expect(inner.at(-1)).toMatchObject({ name: 'message_stop' })
  const reader = createAnthropicStreamReader()
  const pieces = inner.flatMap(event => reader.read(event))
  const wrapped = chat.stream?.(callOf('A|S|us-east-1', 'claude-2.1', true))
  expect(pieces).toEqual(events.flatMap(event => wrapped?.read(event) ?? []))
})
