import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import { withoutExtensions } from '../../provider-kit/openai-compatible/chat.ts'
import { responseContext } from '../testing.ts'
import { dialect } from './index.ts'

const { parse, createWriter, writeReply } = dialect.chat
const messagesBody = (fields: object) => ({
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'hi' }],
  ...fields,
})
const write = (pieces: readonly ChatChunk[]): readonly unknown[] => {
  const writer = createWriter(responseContext())
  const text = pieces.map(piece => writer.write(piece)).join('') + writer.end(NO_USAGE)
  return text
    .split('\n\n')
    .filter(Boolean)
    .map(event => JSON.parse(event.split('\ndata: ')[1] ?? ''))
}

test('writes interleaved arguments of several tool calls block by block', () => {
  const events = write([
    { type: 'tool-call-start', index: 0, id: 'a', name: 'f', arguments: '' },
    { type: 'tool-call-start', index: 1, id: 'b', name: 'g', arguments: '' },
    { type: 'tool-arguments-delta', index: 1, text: '{"x"' },
    { type: 'tool-arguments-delta', index: 0, text: '{}' },
    { type: 'tool-arguments-delta', index: 1, text: ':1}' },
    { type: 'finish', reason: 'stop' },
  ])
  expect(events).toMatchObject([
    { type: 'message_start', message: { usage: { input_tokens: 7 } } },
    { type: 'content_block_start', index: 0, content_block: { id: 'a', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { partial_json: '{}' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { id: 'b', name: 'g' } },
    { type: 'content_block_delta', index: 1, delta: { partial_json: '{"x"' } },
    { type: 'content_block_delta', index: 1, delta: { partial_json: ':1}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ])
})

test('keeps the signature of thinking in both directions', () => {
  const reply = {
    choices: [{ text: 'yo', reasoning: 'hm', reasoningSignature: 's1', finish: 'stop' as const }],
  }
  const { content } = writeReply(reply, NO_USAGE, responseContext())
  expect(content).toEqual([
    { type: 'thinking', thinking: 'hm', signature: 's1' },
    { type: 'text', text: 'yo' },
  ])
  const turn = { role: 'assistant', content }
  expect(
    parse(messagesBody({ messages: [turn, { role: 'user', content: 'go on' }] })).body.messages[0],
  ).toEqual({
    role: 'assistant',
    content: 'yo',
    reasoning_content: 'hm',
    reasoning_signature: 's1',
  })
})

test.each([
  [{ type: 'enabled', budget_tokens: 1_024 }, 'lab', ['thinking', 'text']],
  [{ type: 'adaptive' }, 'lab', ['thinking', 'text']],
  [undefined, 'lab-thinking', ['thinking', 'text']],
  [{ type: 'disabled' }, 'lab', ['text']],
  [undefined, 'lab', ['text']],
])('returns thinking only when asked: %j, %s', (thinking, model, types) => {
  const { echoedFields = {} } = parse(messagesBody({ model, thinking }))
  const context = responseContext({ echoedFields })
  const choice = { text: 'yo', reasoning: 'hm', reasoningSignature: 's1', finish: 'stop' as const }
  expect(writeReply({ choices: [choice] }, NO_USAGE, context).content).toMatchObject(
    types.map(type => ({ type })),
  )
  const writer = dialect.chat.createWriter(context)
  const written = [
    writer.write({ type: 'reasoning-delta', text: 'hm' }),
    writer.write({ type: 'reasoning-signature', signature: 's1' }),
    writer.write({ type: 'text-delta', text: 'yo' }),
  ].join('')
  expect(written).toContain('message_start')
  expect(written.includes('"thinking"')).toBe(types.includes('thinking'))
})

test('begins a turn with the bytes of the turn before, although cache marks move', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const text = (value: string, marked = false) => ({ type: 'text', text: value, ...(marked && mark) })
  const turn = (marks: readonly boolean[], later: readonly object[] = []) => {
    const [first, second, result] = marks
    const messages = [
      { role: 'user', content: [text('reminder'), text('question', first)] },
      { role: 'assistant', content: [text('answer', second)] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [text('1'), text('2', result)] }],
      },
      ...later,
    ]
    const { body } = parse(messagesBody({ system: [text('a', true), text('b', true)], messages }))
    return withoutExtensions(body, []).messages
  }
  const before = turn([true, true, true])
  const after = turn([false, false, false], [{ role: 'user', content: [text('more', true)] }])
  expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before))
})

test('keeps cache marks in place on texts and on tools', () => {
  const cache_control = { type: 'ephemeral' }
  const { body } = parse(
    messagesBody({
      system: [{ type: 'text', text: 'be brief', cache_control }],
      tools: [{ name: 'f', input_schema: { type: 'object' }, cache_control }],
    }),
  )
  expect(body.messages[0]).toEqual({
    role: 'system',
    content: [{ type: 'text', text: 'be brief', cache_control }],
  })
  expect(body.tools?.[0]).toMatchObject({ cache_control })
})

test('reads a system message among the turns: its effort, and its text while it is shown', () => {
  const user = { role: 'user', content: 'hi' } as const
  const notice = { role: 'system', content: 'a notice', clear_at: 'next_user_message' }
  const parsed = (...messages: readonly object[]) =>
    parse(messagesBody({ messages, output_config: { effort: 'low' } })).body
  const shown = { role: 'system', content: 'a notice' } as const
  expect(parsed(user, notice).messages).toEqual([user, shown])
  expect(parsed(user, notice, user).messages).toEqual([user, user])
  expect(parsed(user, { ...notice, clear_at: 'never' }, user).messages).toEqual([user, shown, user])
  const effortOf = (effort: string | null, more: object = {}) => ({
    role: 'system',
    ...more,
    output_config: { effort },
  })
  for (const more of [{}, { content: [] }, { content: '' }])
    expect(parsed(user, effortOf('high', more))).toMatchObject({
      messages: [user],
      reasoning_effort: 'high',
    })
  const turns = [user, effortOf('medium'), user, effortOf(null, { content: 'text' })]
  expect(parsed(...turns).reasoning_effort).toBe('medium')
  expect(() => parsed({ role: 'user' })).toThrow('messages[0].content')
})

test('maps a thinking budget to an effort and prefers a named effort', () => {
  const effort = (fields: object) => parse(messagesBody(fields)).body.reasoning_effort
  expect(effort({ thinking: { type: 'enabled', budget_tokens: 1_024 } })).toBe('low')
  expect(effort({ thinking: { type: 'enabled', budget_tokens: 2_048 } })).toBe('medium')
  expect(effort({ thinking: { type: 'enabled', budget_tokens: 32_000 } })).toBe('high')
  expect(effort({ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } })).toBe('high')
  expect(effort({ thinking: { type: 'disabled' } })).toBeUndefined()
})

test("marks a failed tool result and puts the user's text after it", () => {
  const content = [
    { type: 'text', text: 'and now?' },
    { type: 'tool_result', tool_use_id: 't1', content: 'no such city', is_error: true },
  ]
  expect(parse(messagesBody({ messages: [{ role: 'user', content }] })).body.messages).toEqual([
    { role: 'tool', tool_call_id: 't1', content: 'Error: no such city' },
    { role: 'user', content: 'and now?' },
  ])
})

test("turns Claude's client-side tools into functions with their parameters", () => {
  const tools = [
    { type: 'bash_20250124', name: 'bash' },
    { type: 'text_editor_20250124', name: 'str_replace_editor' },
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 900 },
    { type: 'memory_20250818', name: 'memory', cache_control: { type: 'ephemeral' } },
    {
      type: 'computer_20251124',
      name: 'computer',
      display_width_px: 1024,
      display_height_px: 768,
      enable_zoom: true,
    },
    { name: 'weather', input_schema: { type: 'object' } },
  ]
  const { body, nativeOnlyFeature } = parse(
    messagesBody({ tools, tool_choice: { type: 'tool', name: 'bash' } }),
  )
  expect(nativeOnlyFeature).toBeUndefined()
  expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'bash' } })
  expect(body.tools?.map(tool => tool.function.name)).toEqual(tools.map(({ name }) => name))
  expect(body.tools).toMatchObject([
    { function: { parameters: { properties: { command: {}, restart: {} } } } },
    {
      function: { parameters: { properties: { command: { enum: expect.arrayContaining(['undo_edit']) } } } },
    },
    { function: { parameters: { properties: { insert_text: {} }, required: ['command', 'path'] } } },
    { cache_control: {}, function: { parameters: { properties: { old_path: {} } } } },
    {
      function: {
        description: expect.stringContaining('1024 pixels'),
        parameters: {
          properties: { action: { enum: expect.arrayContaining(['scroll', 'zoom']) }, region: {} },
        },
      },
    },
    { function: { name: 'weather', parameters: { type: 'object' } } },
  ])
})

test.each([
  [{ tools: [{ type: 'later_tool_20991231', name: 'later' }] }, 'later_tool_20991231'],
  [{ container: 'c_1' }, 'container'],
  [
    { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f' }] }] },
    'container_upload',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] },
    '"file"',
  ],
])('reserves %j for Claude', (fields, named) => {
  expect(parse(messagesBody(fields)).nativeOnlyFeature?.en).toContain(named)
})

test.each([
  [{ messages: [] }, 'messages: found a list of 0, needed at least 1'],
  [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role: found "tool"'],
  [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'a block with the fields of its type'],
  [{ max_tokens: 'many' }, 'max_tokens: found "many"'],
  [{ model: '' }, 'needed the name of a model'],
])('rejects %j with a reason', (fields, reason) => {
  expect(() => parse(messagesBody(fields))).toThrow(reason)
})

test('tells providers without tool references in words which tools a search of the client found', () => {
  const found = [
    { type: 'tool_reference', tool_name: 'WebSearch' },
    { type: 'tool_reference', tool_name: 'WebFetch' },
  ]
  const { body, nativeOnlyFeature } = parse(
    messagesBody({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'ToolSearch', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: found }] },
      ],
    }),
  )
  expect(nativeOnlyFeature).toBeUndefined()
  expect(body.messages.at(-1)).toEqual({
    role: 'tool',
    tool_call_id: 'c1',
    content: 'The tool WebSearch is available.\nThe tool WebFetch is available.',
  })
})

test('gives providers without such blocks the search results of the client as texts', () => {
  const found = {
    type: 'search_result',
    source: 'https://e.example',
    title: 'Title',
    content: [{ type: 'text', text: 'abc' }],
    citations: { enabled: true },
  }
  const content = [found, { type: 'text', text: 'q' }]
  const { body, nativeOnlyFeature } = parse(messagesBody({ messages: [{ role: 'user', content }] }))
  expect(nativeOnlyFeature).toBeUndefined()
  expect(JSON.stringify(body.messages)).toContain('Title\\nhttps://e.example\\nabc')
  const result = { type: 'tool_result', tool_use_id: 't', content: [found] }
  const call = { type: 'tool_use', id: 't', name: 'f', input: {} }
  const messages = [
    { role: 'assistant', content: [call] },
    { role: 'user', content: [result] },
  ]
  expect(JSON.stringify(parse(messagesBody({ messages })).body.messages)).toContain('Title')
})
