import { describe, expect, test } from 'bun:test'
import type { ChatChunk } from '../contract/chat.ts'
import type { StreamPiece } from '../contract/operation-adapter.ts'
import type { JsonObject } from '../json.ts'
import { createResponsesStreamReader, readReply as readResponse } from '../openai-responses/response.ts'
import { openaiCompatibleChat } from './chat.ts'
import { createCallReader } from './tool-calls.ts'

const call = {
  channel: { id: 1, key: 'k', baseUrl: 'https://provider.example', other: '', organization: '', setting: {} },
  model: 'm',
  body: { model: 'm', messages: [] },
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
}
const chat = openaiCompatibleChat()
const weather = (args: unknown, fields: JsonObject = {}) => ({
  type: 'function',
  function: { name: 'weather', arguments: args },
  ...fields,
})
const args = (text: string, fields: JsonObject = {}) => ({ function: { arguments: text }, ...fields })

/** The calls that a client puts together from the pieces of a stream: id, name and arguments. */
function joined(pieces: readonly StreamPiece<ChatChunk>[]): readonly (readonly string[])[] {
  const calls: string[][] = []
  for (const piece of pieces) {
    if (piece.type === 'tool-call-start') calls[piece.index] = [piece.id, piece.name, piece.arguments]
    else if (piece.type === 'tool-arguments-delta') {
      const [id = '', name = '', before = ''] = calls[piece.index] ?? []
      calls[piece.index] = [id, name, before + piece.text]
    }
  }
  return calls
}

const streamed = (...chunks: readonly JsonObject[]) => {
  const read = createCallReader('r')
  return joined(chunks.flatMap(chunk => read(chunk, 0)))
}

describe('streamed calls', () => {
  const PARIS = '{"city":"Paris"}'
  const ROME = '{"city":"Rome"}'
  const both = (first: string, second: string) => [
    [first, 'weather', PARIS],
    [second, 'weather', ROME],
  ]

  test('stay two when both have the index 0 and an id each', () => {
    expect(streamed(weather(PARIS, { index: 0, id: 'a' }), weather(ROME, { index: 0, id: 'b' }))).toEqual(
      both('a', 'b'),
    )
  })

  test('stay two when both have the index 0 and no id', () => {
    expect(
      streamed(
        weather('{"city":', { index: 0 }),
        args('"Paris"}', { index: 0 }),
        weather(ROME, { index: 0 }),
      ),
    ).toEqual(both('call_r_0_0', 'call_r_0_1'))
  })

  test('stay two when neither has an index or an id', () => {
    expect(streamed(weather(PARIS), weather('{"city":'), args('"Rome"}'))).toEqual(
      both('call_r_0_0', 'call_r_0_1'),
    )
  })

  test('get an id each when the provider repeats one', () => {
    expect(streamed(weather(PARIS, { index: 0, id: 'a' }), weather(ROME, { index: 1, id: 'a' }))).toEqual(
      both('a', 'call_r_0_1'),
    )
  })

  test('are numbered from 0 when the provider numbers them from 1', () => {
    expect(streamed(weather(PARIS, { index: 1, id: 'a' }), weather(ROME, { index: 2, id: 'b' }))).toEqual(
      both('a', 'b'),
    )
  })

  test('that arrive in turns are put together by index, and without one by id', () => {
    const [one, two] = [
      { index: 0, id: 'a' },
      { index: 1, id: 'b' },
    ]
    const parts = ['{"city":', '"Paris"}', '"Rome"}'] as const
    const rest = [args(parts[1], one), args(parts[2], two)]
    expect(streamed(weather(parts[0], one), weather(parts[0], two), ...rest)).toEqual(both('a', 'b'))
    const withoutIndex = [weather(parts[0], { id: 'a' }), weather(parts[0], { id: 'b' })]
    expect(streamed(...withoutIndex, args(parts[1], { id: 'a' }), args(parts[2], { id: 'b' }))).toEqual(
      both('a', 'b'),
    )
  })

  test('are one call when id and name are repeated with every chunk', () => {
    for (const fields of [{ index: 0, id: 'a' }, { index: 0 }])
      expect(streamed(weather('{"city":', fields), weather('"Paris"}', fields), weather('', fields))).toEqual(
        [[fields.id ?? 'call_r_0_0', 'weather', PARIS]],
      )
  })

  test('keep a numeric id and the name when later chunks have empty ones', () => {
    expect(
      streamed(weather('', { index: 0, id: 17 }), {
        index: 0,
        id: '',
        function: { name: '', arguments: PARIS },
      }),
    ).toEqual([['17', 'weather', PARIS]])
  })

  test('begin when the name arrives, with the arguments that came before', () => {
    const unnamed = { index: 0, id: 'a', function: { arguments: '{"city":' } }
    expect(streamed(unnamed, weather('"Paris"}', { index: 0 }))).toEqual([['a', 'weather', PARIS]])
  })

  test('do not end at a brace inside a text', () => {
    expect(streamed(weather('{"a":"}\\"', { index: 0 }), weather('}"}', { index: 0 }))).toEqual([
      ['call_r_0_0', 'weather', '{"a":"}\\"}"}'],
    ])
  })

  test('have their arguments as text when the provider sends an object', () => {
    expect(streamed(weather({ city: 'Paris' }, { index: 0, id: 'a' }))).toEqual([['a', 'weather', PARIS]])
  })
})

test('calls of a complete chat completion have ids of their own and arguments as text', () => {
  const tool_calls = [weather({ city: 'a' }), weather('{}', { id: 7 }), weather('{}', { id: 7 })]
  const result = chat.reply({ choices: [{ message: { tool_calls }, finish_reason: 'tool_calls' }] }, call)
  expect(result).toMatchObject({
    reply: {
      choices: [
        {
          toolCalls: [
            { id: 'call_r_0_0', function: { arguments: '{"city":"a"}' } },
            { id: '7' },
            { id: 'call_r_0_2' },
          ],
        },
      ],
    },
  })
})

describe('calls of the Responses API', () => {
  const item = (fields: JsonObject) => ({ type: 'function_call', name: 'weather', ...fields })

  test('have ids of their own and arguments as text in a complete response', () => {
    const output = [item({ arguments: { city: 'a' } }), item({ call_id: 'c', arguments: '{}' })]
    expect(readResponse({ status: 'completed', output }, call)).toMatchObject({
      reply: {
        choices: [
          { toolCalls: [{ id: 'call_r_0_0', function: { arguments: '{"city":"a"}' } }, { id: 'c' }] },
        ],
      },
    })
  })

  test('are told apart by the id of their item where output_index is missing', () => {
    const reader = createResponsesStreamReader(call)
    const events = [
      { type: 'response.output_item.added', item: item({ id: 'i1', call_id: 'a' }) },
      { type: 'response.output_item.added', item: item({ id: 'i2' }) },
      { type: 'response.function_call_arguments.delta', item_id: 'i1', delta: '{"a":1}' },
      { type: 'response.function_call_arguments.delta', item_id: 'i2', delta: '{"b":2}' },
    ]
    const pieces = events.flatMap(event => [...reader.read({ data: JSON.stringify(event), raw: '' })])
    expect(joined(pieces)).toEqual([
      ['a', 'weather', '{"a":1}'],
      ['call_r_0_1', 'weather', '{"b":2}'],
    ])
  })
})

test('a Responses stream may end with response.done, once', () => {
  const usage = { input_tokens: 40, output_tokens: 10, total_tokens: 50 }
  const reader = createResponsesStreamReader(call)
  const response = { status: 'completed', output: [], usage }
  const events = ['response.done', 'response.completed'].map(type => JSON.stringify({ type, response }))
  const pieces = events.flatMap(data => [...reader.read({ data, raw: '' })])
  expect(pieces).toEqual([{ type: 'finish', reason: 'stop' }])
  expect(reader.end()).toMatchObject({ isComplete: true, usage: { input: 40, output: 10 } })
})
