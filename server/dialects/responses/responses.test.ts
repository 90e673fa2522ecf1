import { describe, expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { ChatChunk, ContentPart } from '../../provider-kit/contract/chat.ts'
import { carrySignature } from '../../provider-kit/rules/carried-signatures.ts'
import { responseContext } from '../testing.ts'
import { dialect } from './index.ts'

const { parse, createWriter, createPassthrough, writeReply } = dialect.chat
const parseWith = (fields: object) => parse({ model: 'm', input: 'hi', ...fields })
const write = (
  pieces: readonly ChatChunk[],
  context: Parameters<typeof responseContext>[0] = {},
): readonly Readonly<Record<string, unknown>>[] => {
  const writer = createWriter(responseContext(context))
  const text = pieces.map(piece => writer.write(piece)).join('') + writer.end(NO_USAGE)
  return text
    .split('\n\n')
    .filter(Boolean)
    .map(event => JSON.parse(event.split('\ndata: ')[1] ?? ''))
}

test('merges reasoning, text and calls of one turn into a message followed by the results', () => {
  const input = [
    { role: 'user', content: [{ type: 'input_text', text: 'weather?' }] },
    {
      type: 'reasoning',
      id: 'rs',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: carrySignature('s1'),
    },
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

test.each<[string, object, string | readonly ContentPart[]]>([
  ['its text', { content: [{ type: 'input_text', text: 'done' }] }, 'Message from planner to root:\ndone'],
  ['a plain text', { content: 'done' }, 'Message from planner to root:\ndone'],
  [
    'all it says but what is encrypted',
    {
      content: [
        { type: 'input_text', text: 'done' },
        { type: 'encrypted_content', encrypted_content: 'x' },
      ],
    },
    'Message from planner to root:\ndone',
  ],
  [
    'its pictures',
    {
      content: [
        { type: 'input_text', text: 'look' },
        { type: 'input_image', image_url: 'https://a.example/b.png' },
      ],
    },
    [
      { type: 'text', text: 'Message from planner to root:' },
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
    ],
  ],
])('a message of another agent reaches every provider with %s', (_, fields, content) => {
  const message = { type: 'agent_message', id: 'am_1', author: 'planner', recipient: 'root', ...fields }
  const parsed = parseWith({ input: [{ role: 'user', content: 'hi' }, message] })
  expect(parsed.nativeOnlyFeature).toBeUndefined()
  expect(parsed.body.messages.at(-1)).toEqual({ role: 'user', content })
})

test('returns reasoning and its signature as an item that can be sent back', () => {
  const choice = { text: 'yo', reasoning: 'hm', reasoningSignature: 's1', finish: 'stop' as const }
  const { output } = writeReply({ choices: [choice] }, NO_USAGE, responseContext())
  expect(parseWith({ input: output }).body.messages).toEqual([
    { role: 'assistant', content: 'yo', reasoning_content: 'hm', reasoning_signature: 's1' },
  ])
})

test('takes encrypted content without a mark for that of OpenAI', () => {
  const summary = [{ type: 'summary_text', text: 'hm' }]
  const input = [
    { type: 'reasoning', id: 'rs', summary, encrypted_content: 'gAAAAABo' },
    { role: 'assistant', content: 'yo' },
  ]
  expect(parseWith({ input }).body.messages).toEqual([
    { role: 'assistant', content: 'yo', reasoning_content: 'hm' },
  ])
})

/** Each event as its type and output index, which is empty for events of the response itself. */
const summarize = (events: readonly Readonly<Record<string, unknown>>[]) =>
  events.map(({ type, output_index: index }) =>
    `${String(type).replace('response.', '')} ${index ?? ''}`.trim(),
  )

test('ends each of several interleaved calls before the next begins', () => {
  const events = write([
    { type: 'tool-call-start', index: 0, id: 'a', name: 'f', arguments: '' },
    { type: 'tool-call-start', index: 1, id: 'b', name: 'g', arguments: '' },
    { type: 'tool-arguments-delta', index: 1, text: '{"x"' },
    { type: 'tool-arguments-delta', index: 0, text: '{"y":"}' },
    { type: 'tool-arguments-delta', index: 0, text: '"}' },
    { type: 'tool-arguments-delta', index: 1, text: ':1}' },
    { type: 'finish', reason: 'tool_calls' },
  ])
  expect(summarize(events)).toEqual([
    'created',
    'in_progress',
    'output_item.added 0',
    'function_call_arguments.delta 0',
    'function_call_arguments.delta 0',
    'function_call_arguments.done 0',
    'output_item.done 0',
    'output_item.added 1',
    'function_call_arguments.delta 1',
    'function_call_arguments.delta 1',
    'function_call_arguments.done 1',
    'output_item.done 1',
    'completed',
  ])
  expect(events.at(-1)).toMatchObject({
    response: {
      output: [
        { call_id: 'a', arguments: '{"y":"}"}', status: 'completed' },
        { call_id: 'b', arguments: '{"x":1}', status: 'completed' },
      ],
    },
  })
})

test('streams a call at once when the arguments of the call before it are complete', () => {
  const writer = createWriter(responseContext())
  const start = (index: number): ChatChunk => ({
    type: 'tool-call-start',
    index,
    id: `c${index}`,
    name: 'f',
    arguments: '',
  })
  writer.write(start(0))
  writer.write({ type: 'tool-arguments-delta', index: 0, text: '{"a":"\\' })
  writer.write({ type: 'tool-arguments-delta', index: 0, text: '"{"}' })
  expect(writer.write(start(1))).toContain('"output_index":1')
})

test('keeps a call open for late arguments and delivers what follows afterwards', () => {
  const events = write([
    { type: 'tool-call-start', index: 0, id: 'a', name: 'f', arguments: '{' },
    { type: 'text-delta', text: 'meanwhile' },
    { type: 'tool-arguments-delta', index: 0, text: '}' },
    { type: 'finish', reason: 'stop' },
  ])
  const { response } = Object(events.at(-1))
  expect(response.output).toMatchObject([{ arguments: '{}' }, { content: [{ text: 'meanwhile' }] }])
})

test('gives a call without arguments an empty object', () => {
  const events = write([
    { type: 'tool-call-start', index: 0, id: 'a', name: 'f', arguments: '' },
    { type: 'finish', reason: 'tool_calls' },
  ])
  expect(events.at(-1)).toMatchObject({ response: { output: [{ arguments: '{}' }] } })
})

const TOOLS = [
  { type: 'function', name: 'agents__spawn', parameters: { type: 'object', properties: {} } },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Edits files.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: X' },
  },
  { type: 'namespace', name: 'agents', description: 'Agents', tools: [{ type: 'function', name: 'spawn' }] },
  { type: 'web_search' },
]

describe('tools of the Responses API for providers of other formats', () => {
  const { body, nativeOnlyFeature } = parseWith({ tools: TOOLS })
  const [spawn, patch, agentSpawn] = (body.tools ?? []).map(tool => tool.function)

  test('become functions with qualified, distinct names, without the tools of the provider', () => {
    expect(nativeOnlyFeature).toBeUndefined()
    expect(body.tools).toHaveLength(3)
    expect(spawn?.name).toBe('agents__spawn')
    expect(agentSpawn?.name).toMatch(/^agents__spawn_[0-9a-f]{8}$/)
    expect(patch).toMatchObject({
      name: 'apply_patch',
      description: expect.stringContaining('start: X'),
      parameters: { required: ['input'] },
    })
  })

  test('keep the names of functions within 64 characters', () => {
    const tools = [{ type: 'namespace', name: 'n'.repeat(60), tools: [{ type: 'function', name: 'f.é' }] }]
    const [tool] = parseWith({ tools }).body.tools ?? []
    expect(tool?.function.name).toMatch(/^[a-zA-Z0-9_-]{64}$/)
  })

  test('get their calls back in their own form', () => {
    const calls: readonly ChatChunk[] = [
      { type: 'tool-call-start', index: 0, id: 'a', name: agentSpawn?.name ?? '', arguments: '{"n":1}' },
      { type: 'tool-call-start', index: 1, id: 'b', name: 'apply_patch', arguments: '' },
      { type: 'tool-arguments-delta', index: 1, text: '{"input":"*** Begin\\n' },
      { type: 'tool-arguments-delta', index: 1, text: '+x"}' },
      { type: 'finish', reason: 'tool_calls' },
    ]
    const events = write(calls, { echoedFields: { tools: TOOLS } })
    const expected = [
      { type: 'function_call', namespace: 'agents', name: 'spawn', call_id: 'a', arguments: '{"n":1}' },
      { type: 'custom_tool_call', name: 'apply_patch', call_id: 'b', input: '*** Begin\n+x' },
    ]
    expect(Object(events.at(-1)).response.output).toMatchObject(expected)
    expect(summarize(events).filter(line => line.startsWith('custom'))).toEqual([
      'custom_tool_call_input.delta 1',
      'custom_tool_call_input.done 1',
    ])
    const toolCalls = [agentSpawn?.name ?? '', 'apply_patch'].map((name, index) => ({
      id: 'ab'[index] ?? '',
      type: 'function' as const,
      function: { name, arguments: ['{"n":1}', '{"input":"*** Begin\\n+x"}'][index] ?? '' },
    }))
    const reply = { choices: [{ text: '', toolCalls, finish: 'tool_calls' as const }] }
    const context = responseContext({ echoedFields: { tools: TOOLS } })
    expect(writeReply(reply, NO_USAGE, context).output).toMatchObject(expected)
  })

  test('are recognized in the calls and results of earlier turns', () => {
    const input = [
      { type: 'function_call', call_id: 'a', namespace: 'agents', name: 'spawn', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: '*** "x"' },
      { type: 'function_call_output', call_id: 'a', output: 'ok' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'done' },
      { type: 'web_search_call', id: 'ws', status: 'completed' },
    ]
    const parsed = parseWith({ tools: TOOLS, input })
    expect(parsed.nativeOnlyFeature).toBeUndefined()
    expect(parsed.body.messages).toMatchObject([
      {
        tool_calls: [
          { id: 'a', function: { name: agentSpawn?.name } },
          { id: 'b', function: { name: 'apply_patch', arguments: '{"input":"*** \\"x\\""}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      { role: 'tool', tool_call_id: 'b', content: 'done' },
    ])
  })

  test('can be chosen by name, or limited to some', () => {
    const chosen = parseWith({ tools: TOOLS, tool_choice: { type: 'custom', name: 'apply_patch' } }).body
    expect(chosen.tool_choice).toEqual({ type: 'function', function: { name: 'apply_patch' } })
    const choice = {
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'custom', name: 'apply_patch' }],
    }
    const limited = parseWith({ tools: TOOLS, tool_choice: choice }).body
    expect(limited.tools?.map(tool => tool.function.name)).toEqual(['apply_patch'])
    expect(limited.tool_choice).toBe('required')
  })
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
  expect(events[7]).toMatchObject({
    item: { summary: [{ text: 'hm' }], encrypted_content: carrySignature('s1') },
  })
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
  [{ tools: [{ type: 'later_tool' }] }, 'later_tool'],
  [{ tools: [{ type: 'web_search' }], tool_choice: { type: 'later_tool' } }, 'later_tool'],
  [{ input: [{ type: 'item_reference', id: 'x' }] }, 'item_reference'],
  [{ input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, 'input_image'],
])('reserves %j for providers of this API', (fields, named) => {
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
