import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { carrySignature } from '../../provider-kit/rules/carried-signatures.ts'
import { responseContext } from '../testing.ts'
import { dialect } from './index.ts'

const { parse, createWriter, writeReply } = dialect.chat
const bodyOf = (fields: object) => parse({ model: 'm', input: 'hi', ...fields })

function write(chunks: readonly ChatChunk[]): readonly unknown[] {
  const writer = createWriter(responseContext())
  const text = chunks.map(chunk => writer.write(chunk)).join('') + writer.end({ ...NO_USAGE, input: 3 })
  const events = text.split('\n\n').filter(Boolean)
  expect(events.at(-1)).toBe('event: done\ndata: [DONE]')
  return events.slice(0, -1).map(event => parseJson(event.split('\ndata: ')[1] ?? ''))
}

test('writes thoughts, text and calls as steps with numbers of their own', () => {
  const events = write([
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'reasoning-signature', signature: 's1' },
    { type: 'web-search', search: { queries: ['q'], sources: [] } },
    { type: 'text-delta', text: 'yes' },
    { type: 'citation', citation: { url: 'https://a.test', title: 'A' } },
    { type: 'tool-call-start', index: 0, id: 'a', name: 'f', arguments: '' },
    { type: 'tool-call-start', index: 1, id: 'b', name: 'g', arguments: '{' },
    { type: 'tool-arguments-delta', index: 0, text: '{"x":1}' },
    { type: 'tool-arguments-delta', index: 1, text: '}' },
    { type: 'finish', reason: 'tool_calls' },
  ])
  const step = (index: number, type: string, fields = {}) => ({
    event_type: 'step.start',
    index,
    step: { type, ...fields },
  })
  const delta = (index: number, fields: object) => ({ event_type: 'step.delta', index, delta: fields })
  const stop = (index: number) => ({ event_type: 'step.stop', index })
  expect(events).toMatchObject([
    { event_type: 'interaction.created', interaction: { id: 'int_request-1', status: 'in_progress' } },
    step(0, 'thought'),
    delta(0, { type: 'thought_summary', content: { type: 'text', text: 'hm' } }),
    delta(0, { type: 'thought_signature', signature: carrySignature('s1') }),
    stop(0),
    step(1, 'google_search_call', { arguments: { queries: ['q'] } }),
    stop(1),
    step(2, 'google_search_result'),
    stop(2),
    step(3, 'model_output'),
    delta(3, { type: 'text', text: 'yes' }),
    delta(3, {
      type: 'text_annotation_delta',
      annotations: [{ type: 'url_citation', url: 'https://a.test' }],
    }),
    stop(3),
    step(4, 'function_call', { id: 'a', name: 'f', arguments: {} }),
    step(5, 'function_call', { id: 'b', name: 'g' }),
    delta(5, { type: 'arguments_delta', arguments: '{' }),
    delta(4, { type: 'arguments_delta', arguments: '{"x":1}' }),
    delta(5, { type: 'arguments_delta', arguments: '}' }),
    stop(4),
    stop(5),
    {
      event_type: 'interaction.completed',
      interaction: { status: 'requires_action', usage: { total_input_tokens: 3 } },
    },
  ])
})

test('writes an error as an event, and ends the stream', () => {
  const writer = createWriter(responseContext())
  const text =
    writer.write({ type: 'text-delta', text: 'a' }) + writer.fail({ status: 429, code: 'x', message: 'slow' })
  expect(text).toContain(
    '"event_type":"error","error":{"code":"RESOURCE_EXHAUSTED","message":"slow (request id: request-1)"}',
  )
  expect(text).toEndWith('data: [DONE]\n\n')
})

test.each([
  ['stop', 'completed'],
  ['length', 'incomplete'],
  ['content_filter', 'incomplete'],
  ['tool_calls', 'requires_action'],
] as const)('says of %s that the interaction is %s', (finish, status) => {
  const reply = { choices: [{ text: 'a', finish }] }
  expect(writeReply(reply, NO_USAGE, responseContext())).toMatchObject({ status })
})

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }

test.each([
  [{ response_format: { type: 'text', mime_type: 'application/json', schema: SCHEMA } }, 'json_schema'],
  [{ response_format: [{ type: 'text', mime_type: 'application/json', schema: SCHEMA }] }, 'json_schema'],
  [{ response_format: SCHEMA, response_mime_type: 'application/json' }, 'json_schema'],
  [{ response_mime_type: 'application/json' }, 'json_object'],
  [{ response_format: { type: 'text', mime_type: 'text/plain' } }, undefined],
  [{}, undefined],
])('reads the format of %j', (fields, type) => {
  expect(bodyOf(fields).body.response_format?.type).toBe(type as never)
})

const TOOLS = ['f', 'g'].map(name => ({ type: 'function', name }))

test.each([
  ['auto', 'auto', ['f', 'g']],
  ['any', 'required', ['f', 'g']],
  ['none', 'none', ['f', 'g']],
  ['validated', 'auto', ['f', 'g']],
  [{ allowed_tools: { mode: 'any', tools: ['g'] } }, 'required', ['g']],
  [{ allowed_tools: { tools: ['g'] } }, undefined, ['g']],
] as const)('reads the choice %j', (tool_choice, choice, names) => {
  const { tools, tool_choice: chosen } = bodyOf({ tools: TOOLS, generation_config: { tool_choice } }).body
  expect([chosen, tools?.map(tool => tool.function.name)]).toEqual([choice, [...names]])
})

test('reads content of every kind that others take', () => {
  const { body, nativeOnlyFeature } = bodyOf({
    input: [
      { type: 'text', text: 'look' },
      { type: 'image', data: 'AA==', mime_type: 'image/png' },
      { type: 'image', uri: 'https://a.test/b.png' },
      { type: 'audio', data: 'AA==', mime_type: 'audio/mpeg' },
      { type: 'document', data: 'AA==', mime_type: 'application/pdf' },
    ],
  })
  expect(nativeOnlyFeature).toBeUndefined()
  expect(body.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        { type: 'image_url', image_url: { url: 'https://a.test/b.png' } },
        { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
        { type: 'file', file: { filename: 'file', file_data: 'data:application/pdf;base64,AA==' } },
      ],
    },
  ])
})
