import { expect, test } from 'bun:test'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { chat, native, tokenCount } from './adapters.ts'

const callOf = (model: string, body: JsonObject): AdapterCall<JsonObject> => ({
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  model,
  body,
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
})
const nativeBody = (model: string, body: JsonObject): unknown =>
  JSON.parse(String(native.request(callOf(model, body)).body))

test("forwards a Claude client's body except for the model", () => {
  const body = { model: 'asked', max_tokens: 5, messages: [], unheard_of: { a: [0] }, temperature: 0 }
  expect(nativeBody('claude-sonnet-4-5', body)).toEqual({ ...body, model: 'claude-sonnet-4-5' })
})

test('counts a conversation without the thinking of others, which would be rejected', () => {
  const text = { type: 'text', text: 'one' }
  const turn = (content: readonly JsonObject[]) => ({ messages: [{ role: 'assistant', content }] })
  const body = { model: 'asked', ...turn([{ type: 'thinking', thinking: 'a plan', signature: '' }, text]) }
  const { body: sent } = tokenCount.request(callOf('claude-sonnet-4-5', body))
  expect(JSON.parse(String(sent))).toEqual({ model: 'claude-sonnet-4-5', ...turn([text]) })
})

test('turns a model suffix into thinking unless the client sets it', () => {
  const body = { model: 'asked', max_tokens: 2_000, messages: [], temperature: 0, top_p: 1 }
  expect(nativeBody('claude-sonnet-4-5-thinking', body)).toEqual({
    model: 'claude-sonnet-4-5',
    max_tokens: 2_000,
    messages: [],
    thinking: { type: 'enabled', budget_tokens: 1_600 },
  })
  const own = { ...body, thinking: { type: 'disabled' } }
  expect(nativeBody('claude-sonnet-4-5-thinking', own)).toEqual({ ...own, model: 'claude-sonnet-4-5' })
})

test('reads an error object with status 200 as a failure', () => {
  const json = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const failure = { status: 529, code: 'overloaded_error', type: 'overloaded_error' }
  expect(native.reply(json, callOf('m', {}))).toMatchObject({ kind: 'failure', failure })
})

test("replaces the usage of the stream's start with that of its end", () => {
  const reader = chat.stream?.(callOf('m', {}))
  const events = [
    {
      type: 'message_start',
      message: { usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 } },
    },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 30, output_tokens: 7 },
    },
  ]
  for (const event of events) reader?.read({ data: JSON.stringify(event), raw: '' })
  expect(reader?.end()).toMatchObject({ isComplete: true, usage: { input: 30, cachedInput: 4, output: 7 } })
})

test('reports input tokens for a stream that was cut off', () => {
  const reader = chat.stream?.(callOf('m', {}))
  const start = { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } }
  reader?.read({ data: JSON.stringify(start), raw: '' })
  expect(reader?.end()).toMatchObject({ isComplete: false, usage: { input: 10 } })
})
