import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import { responseContext } from '../testing.ts'
import { dialect } from './index.ts'

const { parse, createWriter, writeReply } = dialect.chat

const write = (chunks: readonly ChatChunk[]): readonly unknown[] => {
  const writer = createWriter(responseContext())
  const text =
    chunks.map(chunk => writer.write(chunk)).join('') + writer.end({ ...NO_USAGE, input: 3, output: 2 })
  return text
    .split('\n\n')
    .filter(Boolean)
    .map(event => JSON.parse(event.split('\ndata: ')[1] ?? ''))
}

test('converts a conversation with tools, images and thinking into the canonical form', () => {
  const { body, maxOutputTokens } = parse({
    model: 'm',
    max_tokens: 50,
    p: 0.5,
    stop_sequences: ['END'],
    tool_choice: 'REQUIRED',
    thinking: { type: 'enabled', token_budget: 3000 },
    response_format: { type: 'json_object', json_schema: { type: 'object' } },
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    messages: [
      { role: 'system', content: 'be short' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is this?' },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        ],
      },
      {
        role: 'assistant',
        tool_plan: 'I look it up.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'document', document: { data: '{"x":1}' } }] },
    ],
  })
  expect(maxOutputTokens).toBe(50)
  expect(body).toEqual({
    model: 'm',
    max_tokens: 50,
    top_p: 0.5,
    stop: ['END'],
    tool_choice: 'required',
    reasoning_effort: 'medium',
    response_format: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } },
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    messages: [
      { role: 'system', content: 'be short' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is this?' },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        ],
      },
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'I look it up.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"x":1}' },
    ],
  })
})

test('leaves documents to providers of its own format and refuses what matches no schema', () => {
  const messages = [{ role: 'user', content: 'hi' }]
  expect(parse({ model: 'm', messages, documents: ['a'] }).nativeOnlyFeature?.en).toContain('documents')
  expect(() => parse({ model: 'm', messages: 'hi' })).toThrow('messages: found "hi", needed')
  expect(() => parse({ messages })).toThrow('model')
})

test('streams thinking, text and interleaved calls one after the other, counted together', () => {
  const events = write([
    { type: 'start', id: 'r1' },
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'text-delta', text: 'It is' },
    { type: 'text-delta', text: ' 21.' },
    { type: 'tool-call-start', index: 0, id: 'a', name: 'f', arguments: '' },
    { type: 'tool-call-start', index: 1, id: 'b', name: 'g', arguments: '{"x"' },
    { type: 'tool-arguments-delta', index: 0, text: '{}' },
    { type: 'tool-arguments-delta', index: 1, text: ':1}' },
    { type: 'finish', reason: 'stop' },
  ])
  const content = (fields: object) => ({ message: { content: fields } })
  const call = (fields: object) => ({ message: { tool_calls: fields } })
  const tokens = { input_tokens: 3, output_tokens: 2 }
  expect(events.slice(1)).toEqual([
    { type: 'content-start', index: 0, delta: content({ type: 'thinking', thinking: '' }) },
    { type: 'content-delta', index: 0, delta: content({ thinking: 'hm' }) },
    { type: 'content-end', index: 0 },
    { type: 'content-start', index: 1, delta: content({ type: 'text', text: '' }) },
    { type: 'content-delta', index: 1, delta: content({ text: 'It is' }) },
    { type: 'content-delta', index: 1, delta: content({ text: ' 21.' }) },
    { type: 'content-end', index: 1 },
    {
      type: 'tool-call-start',
      index: 2,
      delta: call({ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
    },
    { type: 'tool-call-delta', index: 2, delta: call({ function: { arguments: '{}' } }) },
    { type: 'tool-call-end', index: 2 },
    {
      type: 'tool-call-start',
      index: 3,
      delta: call({ id: 'b', type: 'function', function: { name: 'g', arguments: '' } }),
    },
    { type: 'tool-call-delta', index: 3, delta: call({ function: { arguments: '{"x"' } }) },
    { type: 'tool-call-delta', index: 3, delta: call({ function: { arguments: ':1}' } }) },
    { type: 'tool-call-end', index: 3 },
    {
      type: 'message-end',
      delta: { finish_reason: 'TOOL_CALL', usage: { billed_units: tokens, tokens, cached_tokens: 0 } },
    },
  ])
})

test('writes a complete reply with its thinking before the text', () => {
  const reply = { id: 'r1', choices: [{ text: 'yo', reasoning: 'hm', finish: 'length' as const }] }
  expect(writeReply(reply, NO_USAGE, responseContext())).toMatchObject({
    id: 'r1',
    finish_reason: 'MAX_TOKENS',
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'yo' },
      ],
    },
  })
})

test('embeds texts as numbers and base64, and names their purpose', () => {
  const parsed = dialect.embeddings?.parse({
    model: 'm',
    texts: ['a', 'b'],
    input_type: 'search_query',
    embedding_types: ['float', 'base64'],
    output_dimension: 2,
  })
  if (!parsed) throw new Error('the dialect has no embeddings')
  expect(parsed.body).toMatchObject({ input: ['a', 'b'], task_type: 'RETRIEVAL_QUERY', dimensions: 2 })
  expect(
    dialect.embeddings?.writeReply(
      {
        vectors: [
          [1, 2],
          [0, 0.5],
        ],
      },
      { ...NO_USAGE, input: 4 },
      parsed,
    ),
  ).toEqual({
    embeddings: {
      float: [
        [1, 2],
        [0, 0.5],
      ],
      base64: ['AACAPwAAAEA=', 'AAAAAAAAAD8='],
    },
    texts: ['a', 'b'],
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 4 } },
    response_type: 'embeddings_by_type',
  })
  expect(() => dialect.embeddings?.parse({ model: 'm', texts: ['a'], embedding_types: ['int8'] })).toThrow(
    'found "int8"',
  )
})

test('ranks at most as many documents as requested, the best first', () => {
  const parsed = dialect.rerank?.parse({ model: 'm', query: 'q', documents: ['a', 'b', 'c'], top_n: 2 })
  if (!parsed) throw new Error('the dialect has no rerank')
  const results = [0.1, 0.9, 0.5].map((score, index) => ({ index, score }))
  expect(dialect.rerank?.writeReply({ results }, NO_USAGE, parsed)).toMatchObject({
    results: [
      { index: 1, relevance_score: 0.9 },
      { index: 2, relevance_score: 0.5 },
    ],
  })
})
