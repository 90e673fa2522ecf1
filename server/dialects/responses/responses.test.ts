import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import { responseContext } from '../testing.ts'
import { dialect } from './index.ts'

const { parse, createWriter, createPassthrough, writeReply } = dialect.chat
const parseWith = (fields: object) => parse({ model: 'm', input: 'hi', ...fields })
const write = (pieces: readonly ChatChunk[]): readonly Readonly<Record<string, unknown>>[] => {
  const writer = createWriter(responseContext())
  const text = pieces.map(piece => writer.write(piece)).join('') + writer.end(NO_USAGE)
  return text
    .split('\n\n')
    .filter(Boolean)
    .map(event => JSON.parse(event.split('\ndata: ')[1] ?? ''))
}

test('merges reasoning, text and calls of one turn into a message followed by the results', () => {
  const input = [
    { role: 'user', content: [{ type: 'input_text', text: 'weather?' }] },
    { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 's1' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'let me see' }] },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'sun' },
    { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'noon' }] },
  ]
  expect(parseWith({ instructions: 'be brief', input }).body.messages).toEqual([
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'weather?' },
    {
      role: 'assistant',
      content: 'let me see',
      reasoning_content: 'hm',
      reasoning_signature: 's1',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sun' },
    { role: 'tool', tool_call_id: 'c2', content: 'noon' },
  ])
})

test('returns reasoning and its signature as an item that can be sent back', () => {
  const choice = { text: 'yo', reasoning: 'hm', reasoningSignature: 's1', finish: 'stop' as const }
  const { output } = writeReply({ choices: [choice] }, NO_USAGE, responseContext())
  expect(parseWith({ input: output }).body.messages).toEqual([
    { role: 'assistant', content: 'yo', reasoning_content: 'hm', reasoning_signature: 's1' },
  ])
})

test('completes each of several calls with interleaved arguments', () => {
  const events = write([
    { type: 'tool-call-start', index: 0, id: 'a', name: 'f', arguments: '' },
    { type: 'tool-call-start', index: 1, id: 'b', name: 'g', arguments: '' },
    { type: 'tool-arguments-delta', index: 1, text: '{"x"' },
    { type: 'tool-arguments-delta', index: 0, text: '{}' },
    { type: 'tool-arguments-delta', index: 1, text: ':1}' },
    { type: 'finish', reason: 'tool_calls' },
  ])
  expect(events.at(-1)).toMatchObject({
    type: 'response.completed',
    response: {
      output: [
        { call_id: 'a', arguments: '{}', status: 'completed' },
        { call_id: 'b', arguments: '{"x":1}', status: 'completed' },
      ],
    },
  })
  const done = events.filter(({ type }) => type === 'response.function_call_arguments.done')
  expect(done).toMatchObject([{ output_index: 0 }, { output_index: 1 }])
})

test('ends reasoning, with its signature, where the text starts', () => {
  const events = write([
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'reasoning-signature', signature: 's1' },
    { type: 'text-delta', text: 'yo' },
    { type: 'finish', reason: 'length' },
  ])
  expect(events.map(({ type }) => String(type).replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'incomplete',
  ])
  expect(events[7]).toMatchObject({ item: { summary: [{ text: 'hm' }], encrypted_content: 's1' } })
  expect(events.at(-1)).toMatchObject({ response: { incomplete_details: { reason: 'max_output_tokens' } } })
})

test('numbers a gateway error in a passed-through stream after the last event', () => {
  const passthrough = createPassthrough(responseContext())
  const raw = 'event: response.created\ndata: {"sequence_number":4}\n\n'
  expect(passthrough.pass({ data: '{"sequence_number":4}', raw })).toBe(raw)
  expect(passthrough.fail({ status: 502, code: 'broken', message: 'gone' })).toContain('"sequence_number":5')
})

test.each([
  [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
  [{ conversation: 'conv_1' }, 'conversation'],
  [{ tools: [{ type: 'web_search' }] }, 'web_search'],
  [{ input: [{ type: 'item_reference', id: 'x' }] }, 'item_reference'],
  [{ input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, 'input_image'],
])('reserves %j for vendors of this API', (fields, named) => {
  expect(parseWith(fields).nativeOnlyFeature?.en).toContain(named)
})

test.each([
  [{ input: [] }, 'input: found a list of 0, needed at least 1'],
  [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
  [{ input: [{ type: 'function_call', name: 'f' }] }, 'an item with the fields of its type'],
  [{ max_output_tokens: -1 }, 'max_output_tokens: found -1, needed at least 0'],
])('rejects %j with a reason', (fields, reason) => {
  expect(() => parseWith(fields)).toThrow(reason)
})
