import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import { createFramer } from '../../provider-kit/framing/framers.ts'
import { responseContext } from '../testing.ts'
import { createChatPassthrough, createChatWriter } from './chat-response.ts'
import { dialect } from './index.ts'

const context = responseContext({ requestId: 'r1', nowSeconds: 5, wantsUsage: false })
const usage = { ...NO_USAGE, input: 3, output: 4 }

test('writes a complete response', () => {
  const reply = { id: 'msg_1', model: 'm', choices: [{ text: 'hi', finish: 'stop' as const }] }
  expect(dialect.chat.writeReply(reply, usage, context)).toMatchObject({
    id: 'chatcmpl-msg_1',
    object: 'chat.completion',
    created: 5,
    model: 'm',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'hi', refusal: null }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  })
})

test('has null content when the response holds only tool calls', () => {
  const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
  const reply = { choices: [{ text: '', toolCalls: [call], finish: 'tool_calls' as const }] }
  expect(dialect.chat.writeReply(reply, usage, context)).toMatchObject({
    model: 'asked',
    choices: [{ message: { content: null, tool_calls: [call] } }],
  })
})

test('has empty content when the response is empty', () => {
  const reply = { choices: [{ text: '', finish: 'length' as const }] }
  expect(dialect.chat.writeReply(reply, usage, context)).toMatchObject({
    choices: [{ message: { content: '' } }],
  })
})

test("lists models in OpenAI's format", () => {
  expect(dialect.models?.writeList([{ id: 'gpt-4o', ownedBy: 'openai' }])).toMatchObject({
    object: 'list',
    data: [{ id: 'gpt-4o', object: 'model', owned_by: 'openai', root: 'gpt-4o' }],
  })
})

test("keeps the upstream's error type and parameter", () => {
  const error = { status: 400, code: 'unsupported', type: 'invalid_request_error', param: 'n', message: 'no' }
  expect(dialect.writeError(error, 'r1')).toEqual({
    error: { message: 'no (request id: r1)', type: 'invalid_request_error', param: 'n', code: 'unsupported' },
  })
})

const streamContext = responseContext({ requestId: 'r1', nowSeconds: 5, wantsUsage: false })
const streamUsage = { ...NO_USAGE, input: 3, cachedInput: 2, output: 4, reasoning: 1 }

const write = (chunks: readonly ChatChunk[]): readonly unknown[] => {
  const writer = createChatWriter(streamContext)
  const text = chunks.map(chunk => writer.write(chunk)).join('')
  return text
    .split('\n\n')
    .filter(Boolean)
    .map(event => JSON.parse(event.slice('data: '.length)))
}
const deltasOf = (chunks: readonly ChatChunk[]) => write(chunks).map(chunk => Object(chunk).choices[0])

test('starts each choice with its role once', () => {
  const chunks: ChatChunk[] = [
    { type: 'start', id: 'x', model: 'm' },
    { type: 'text-delta', text: 'a' },
    { type: 'text-delta', text: 'b', choice: 1 },
    { type: 'finish', reason: 'stop', choice: 1 },
  ]
  expect(deltasOf(chunks)).toEqual([
    { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null },
    { index: 0, delta: { content: 'a' }, finish_reason: null },
    { index: 1, delta: { role: 'assistant', content: '' }, finish_reason: null },
    { index: 1, delta: { content: 'b' }, finish_reason: null },
    { index: 1, delta: {}, finish_reason: 'stop' },
  ])
})

test("uses the request's id and model where the provider gives none", () => {
  expect(write([{ type: 'text-delta', text: 'a' }])[0]).toMatchObject({
    id: 'chatcmpl-r1',
    object: 'chat.completion.chunk',
    created: 5,
    model: 'asked',
  })
})

test('writes reasoning, its signature and refusals under their own names', () => {
  const deltas = deltasOf([
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'reasoning-signature', signature: 's' },
    { type: 'refusal-delta', text: 'no' },
  ])
  expect(deltas.slice(1).map(({ delta }) => delta)).toEqual([
    { reasoning_content: 'hm' },
    { reasoning_signature: 's' },
    { refusal: 'no' },
  ])
})

test('keeps quotes, line breaks and non-Latin text', () => {
  const text = '"\n\u2028你好🎈\\'
  expect(deltasOf([{ type: 'text-delta', text }])[1].delta).toEqual({ content: text })
})

test('writes usage only for a client that requests it, and the end marker once', () => {
  expect(createChatWriter(streamContext).end(streamUsage)).toBe('data: [DONE]\n\n')
  const [first = '', second] = createChatWriter({ ...streamContext, wantsUsage: true })
    .end(streamUsage)
    .split('\n\n')
  expect(second).toBe('data: [DONE]')
  expect(JSON.parse(first.slice(6))).toMatchObject({
    choices: [],
    usage: {
      prompt_tokens: 5,
      completion_tokens: 5,
      total_tokens: 10,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  })
})

test('ends a failed response with an error and without the end marker', () => {
  const text = createChatWriter(streamContext).fail({ status: 502, code: 'broken', message: 'it broke' })
  expect(text).not.toContain('[DONE]')
  expect(JSON.parse(text.slice(6))).toEqual({
    error: { message: 'it broke (request id: r1)', type: 'tollgate_error', param: '', code: 'broken' },
  })
})

const passthroughContext = responseContext({ requestId: 'r1', nowSeconds: 5, wantsUsage: false })
const passthroughUsage = { ...NO_USAGE, input: 1, output: 2 }
const DONE = 'data: [DONE]\n\n'
const text =
  'data: {"id":"x",  "choices":[{"delta":{"content":"a \\"usage\\":{} b"}}],"unheard_of":1,"usage":null}\n\n'
const finish = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
const usageOnly = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n'

function pass(stream: string, wantsUsage: boolean): string {
  const framer = createFramer('sse')
  const passthrough = createChatPassthrough({ ...passthroughContext, wantsUsage })
  const events = [...framer.push(new TextEncoder().encode(stream)), ...framer.end()]
  return events.map(event => passthrough.pass(event)).join('') + passthrough.end(passthroughUsage)
}

test('passes everything through byte for byte to a client that requests usage', () => {
  const stream = `: keep-alive\n\n${text}${finish}${usageOnly}${DONE}`
  expect(pass(stream, true)).toBe(stream)
})

test('hides the usage chunk from a client that does not request it', () => {
  expect(pass(`${text}${finish}${usageOnly}${DONE}`, false)).toBe(`${text}${finish}${DONE}`)
})

test('removes usage from a chunk with other content', () => {
  const mixed = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}\n\n'
  expect(pass(mixed, false)).toBe(finish + DONE)
})

test('writes requested usage that the provider did not send', () => {
  const output = pass(text + finish + DONE, true)
  expect(output).toStartWith(text + finish)
  expect(output).toEndWith(
    `"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}}\n\n${DONE}`,
  )
})

test.each([
  ['none', text],
  ['one', text + DONE],
  ['two', text + DONE + DONE],
])('writes one end marker where the provider sends %s', (_, stream) => {
  expect(pass(stream, false)).toBe(text + DONE)
})

test('completes a last event whose blank line is missing', () => {
  expect(pass(finish.trimEnd(), false)).toBe(finish + DONE)
})

const look = (text: unknown) => ({ name: 'look', arguments: text })
/** Deltas of calls as loose servers send them. Both calls look, the first for `a`, the second for `b`. */
const LOOSE_CALLS: Readonly<Record<string, readonly (readonly object[])[]>> = {
  'one index for two calls': [
    [{ index: 0, id: 'x', type: 'function', function: look('') }],
    [{ index: 0, function: { arguments: '{"city":"a"}' } }],
    [{ index: 0, id: 'y', type: 'function', function: look('') }],
    [{ index: 0, function: { arguments: '{"city":"b"}' } }],
  ],
  'one index for two calls of one event': [
    [
      { index: 0, id: 'x', function: look('{"city":"a"}') },
      { index: 0, id: 'y', function: look('{"city":"b"}') },
    ],
  ],
  'neither index nor id': [[{ function: look('{"city":"a"}') }], [{ function: look('{"city":"b"}') }]],
  'empty ids': [
    [{ index: 0, id: '', function: look('{"city":"a"}') }],
    [{ index: 1, id: '', function: look('{"city":"b"}') }],
  ],
  'one id for two calls': [
    [{ index: 0, id: 'call_0', function: look('{"city":"a"}') }],
    [{ index: 1, id: 'call_0', function: look('{"city":"b"}') }],
  ],
  'numbers as ids': [
    [{ index: 0, id: 1, function: look('{"city":"a"}') }],
    [{ index: 1, id: 2, function: look('{"city":"b"}') }],
  ],
  'texts as indexes': [
    [{ index: '0', id: 'x', function: look('{"city":"a"}') }],
    [{ index: '1', id: 'y', function: look('{"city":"b"}') }],
  ],
  'indexes from one on, and empty parts': [
    [{ index: 1, id: 'x', function: look('') }],
    [{ index: 1, function: { arguments: '' } }],
    [{ index: 1, function: { arguments: '{"city":"a"}' } }],
    [{ index: 2, id: 'y', function: look('{"city":"b"}') }],
  ],
  'objects as arguments': [
    [{ index: 0, id: 'x', function: look({ city: 'a' }) }],
    [{ index: 1, id: 'y', function: look({ city: 'b' }) }],
  ],
  'names after ids and arguments': [
    [{ index: 0, id: 'x', type: 'function' }],
    [{ index: 0, function: { arguments: '{"city":' } }],
    [{ index: 0, function: look('"a"}') }],
    [{ index: 1, id: 'y', function: look('{"city":"b"}') }],
  ],
}

/** What a client has that joins the parts of calls by their index, as the official SDKs do. */
function joinCalls(stream: string) {
  const ids: string[] = []
  const texts: string[] = []
  for (const line of stream.split('\n').filter(text => text.startsWith('data: {')))
    for (const { index, id, function: inner } of JSON.parse(line.slice(6)).choices[0].delta.tool_calls ??
      []) {
      if (id) ids[index] = (ids[index] ?? '') + id
      texts[index] = (texts[index] ?? '') + (inner?.arguments ?? '')
    }
  return { ids, calls: texts.map(text => JSON.parse(text)) }
}

test.each(Object.entries(LOOSE_CALLS))('passes calls on that can be told apart: %s', (_, parts) => {
  const deltas = parts.map(tool_calls => ({ choices: [{ index: 0, delta: { tool_calls } }] }))
  const { ids, calls } = joinCalls(
    pass(deltas.map(json => `data: ${JSON.stringify(json)}\n\n`).join(''), false),
  )
  expect(calls).toEqual([{ city: 'a' }, { city: 'b' }])
  expect(new Set(ids).size).toBe(2)
  expect(ids.every(id => typeof id === 'string' && id !== '')).toBe(true)
})

test.each(Object.entries(LOOSE_CALLS))('passes complete calls on that can be told apart: %s', (_, parts) => {
  const tool_calls = parts.flat().filter(call => JSON.stringify(call).includes('city'))
  const reply = dialect.chat.toStandardReply?.({ choices: [{ message: { tool_calls } }] }, 'r1')
  const calls = Object(reply).choices[0].message.tool_calls
  expect(new Set(calls.map(({ id }: { id: unknown }) => id)).size).toBe(tool_calls.length)
  for (const call of calls)
    expect([typeof call.id, typeof call.function.arguments]).toEqual(['string', 'string'])
})

test('passes calls through byte for byte that can be told apart', () => {
  const deltas = [
    '{"index":0,"id":"x","type":"function","function":{"name":"f","arguments":""},"extra_content":{"a":1}}',
    '{"index":0, "function":{"arguments":"{"}},{"index":0,"id":"x","function":{"arguments":"}"}}',
    '{"index":1,"id":"y","type":"custom","custom":{"name":"g","input":"a"}}',
    '{"index":1,"custom":{"input":"b"}}',
  ]
  const stream = deltas.map(text => `data: {"choices":[{"delta":{"tool_calls":[${text}]}}]}\n\n`).join('')
  expect(pass(stream, false)).toBe(stream + DONE)
})
