import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChatChunk } from '../contract/chat.ts'
import type { AdapterCall, StreamPiece } from '../contract/operation-adapter.ts'
import { createFramer } from '../framing/framers.ts'
import type { JsonObject } from '../json.ts'
import { createReplyCollector, isChatChunk } from '../reply-chunks.ts'
import { responsesNative } from './adapters.ts'
import { createResponsesStreamReader, readReply } from './response.ts'

const text = (file: string): string => readFileSync(join(import.meta.dir, 'fixtures', file), 'utf8')
const WEATHER = '{"city":"Lisbon","unit":"celsius"}'

function readStream(cuts: readonly Uint8Array[]) {
  const framer = createFramer('sse')
  const reader = createResponsesStreamReader({ requestId: 'r' })
  const collector = createReplyCollector()
  const failures: StreamPiece<ChatChunk>[] = []
  const events = [...cuts.flatMap(cut => framer.push(cut)), ...framer.end()]
  for (const piece of events.flatMap(event => reader.read(event)))
    if (piece.type === 'failure') failures.push(piece)
    else if (isChatChunk(piece)) collector.add(piece)
  return { reply: collector.reply(), end: reader.end(), failures }
}

test.each([
  ['responses-stream.sse.txt', { text: 'Hello! How can I help?', finish: 'stop' }, { input: 36, output: 18 }],
  [
    'responses-stream-tools.sse.txt',
    {
      reasoning: 'The user wants the weather, so call the tool.',
      toolCalls: [
        { id: 'call_uQ1z', type: 'function', function: { name: 'get_weather', arguments: WEATHER } },
      ],
      finish: 'tool_calls',
    },
    { input: 36, output: 24, reasoning: 40 },
  ],
])('reads %s at any chunk boundaries', (file, choice, usage) => {
  const bytes = new TextEncoder().encode(text(file))
  const expected = readStream([bytes])
  expect(expected.reply.choices).toMatchObject([choice])
  expect(expected.end).toMatchObject({ isComplete: true, usage })
  for (let cut = 1; cut < bytes.length; cut += 7)
    expect(readStream([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected)
})

test("reads a failed stream as a failure with the provider's message", () => {
  const { failures, end } = readStream([new TextEncoder().encode(text('responses-stream-failed.sse.txt'))])
  const failure = { code: 'server_error', message: 'The model failed to generate a response.', status: 500 }
  expect(failures[0]).toMatchObject({ type: 'failure', failure })
  expect(end.isComplete).toBe(false)
})

test.each([
  ['responses.json', { text: 'Hello! How can I help?', finish: 'stop' }],
  ['responses-incomplete.json', { text: 'Hello! How can I help?', finish: 'length' }],
  ['responses-tools.json', { finish: 'tool_calls', toolCalls: [{ function: { name: 'get_weather' } }] }],
])('reads %s', (file, choice) => {
  const replied = readReply(JSON.parse(text(file)), { requestId: 'r' })
  expect(replied).toMatchObject({ kind: 'reply', reply: { choices: [choice] } })
  expect(replied).toHaveProperty('usage.input')
})

test('reads a failed response as a failure', () => {
  const error = { code: 'server_error', message: 'no luck' }
  expect(readReply({ output: [], status: 'failed', error }, { requestId: 'r' })).toMatchObject({
    kind: 'failure',
    failure: { status: 500, message: 'no luck' },
  })
})

test('moves an effort suffix of the model name to the field of the API', () => {
  const call: AdapterCall<JsonObject> = {
    channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
    model: 'o3-mini-high',
    body: { model: 'asked', input: 'hi', unheard_of: 1, reasoning: { summary: 'auto' } },
    isStream: false,
    requestId: 'r',
    nowSeconds: 0,
  }
  const { url, body } = responsesNative().request(call)
  expect(url).toBe('https://v.example/v1/responses')
  expect(JSON.parse(String(body))).toEqual({
    model: 'o3-mini',
    input: 'hi',
    unheard_of: 1,
    reasoning: { summary: 'auto', effort: 'high' },
  })
})

test('streams the input of a free-text tool like any call', () => {
  const reader = createResponsesStreamReader({ requestId: 'r' })
  const item = { type: 'custom_tool_call', call_id: 'c', name: 'sql', input: '' }
  const events = [
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'select 1' },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, input: 'select 1' } },
  ]
  const pieces = events.flatMap(event => reader.read({ data: JSON.stringify(event), raw: '' }))
  expect(pieces).toEqual([
    { type: 'tool-call-start', index: 0, id: 'c', name: 'sql', arguments: '' },
    { type: 'tool-arguments-delta', index: 0, text: 'select 1' },
  ])
})
