import { expect, test } from 'bun:test'
import type { ChatBody } from '../contract/chat.ts'
import { toResponsesBody } from './to-body.ts'

const channel = { id: 1, key: 'k', baseUrl: '', other: '', organization: '', setting: {} }
const SEARCH = { name: 'web_search' } as const

const toBody = (body: Partial<ChatBody>, forced?: 'web_search') =>
  toResponsesBody(
    {
      channel,
      model: 'm',
      body: { model: 'm', messages: [], ...body },
      isStream: false,
      requestId: 'r',
      nowSeconds: 0,
      hostedTools: { tools: [SEARCH], forced },
    },
    {},
  )

test('translates a conversation with calls, results and pictures into items', () => {
  const { input } = toBody({
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'https://pictures.example/cat.png' } },
        ],
      },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
    ],
  })
  expect(input).toEqual([
    { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this?' },
        { type: 'input_image', image_url: 'https://pictures.example/cat.png', detail: 'auto' },
      ],
    },
    { type: 'message', role: 'assistant', content: 'Let me look.' },
    { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'a cat' },
  ])
})

test('keeps functions beside the search, as strict as the client has them', () => {
  const look = { name: 'look', parameters: { type: 'object', properties: {} } }
  const { tools, tool_choice } = toBody({
    tools: [{ type: 'function', function: look }],
    tool_choice: { type: 'function', function: { name: 'look' } },
  })
  expect(tools).toEqual([{ type: 'function', ...look, strict: false }, { type: 'web_search' }])
  expect(tool_choice).toEqual({ type: 'function', name: 'look' })
})

test('forces the search that the client forces', () => {
  expect(toBody({}, 'web_search').tool_choice).toEqual({ type: 'web_search' })
})

test('stores nothing and stays within the limits of the API', () => {
  const schema = { type: 'object' }
  const body = toBody({
    max_tokens: 5,
    reasoning_effort: 'minimal',
    response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } },
  })
  expect(body).toMatchObject({
    store: false,
    max_output_tokens: 16,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_schema', name: 'reply', schema, strict: false } },
  })
})
