import { describe, expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import { responseContext } from '../testing.ts'
import { dialect } from './index.ts'

const { parse, createWriter, writeReply } = dialect.chat
const parseWith = (fields: object) => parse({ model: 'm', input: 'hi', ...fields })

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const FOUND = [
  { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, defer_loading: true },
  { type: 'namespace', name: 'mcp', description: 'd', tools: [{ type: 'function', name: 'g' }] },
]

interface Case {
  readonly tool: object
  readonly name: string
  /** What the model must name in a call. */
  readonly required: readonly string[]
  readonly call: object
  readonly args: unknown
  readonly output: object
  readonly result: string | object
}

const CASES: Readonly<Record<string, Case>> = {
  shell: {
    tool: { type: 'shell', environment: { type: 'local' } },
    name: 'shell',
    required: ['commands'],
    call: {
      type: 'shell_call',
      action: { commands: ['ls'], timeout_ms: 1000, max_output_length: null },
      environment: { type: 'local' },
    },
    args: { commands: ['ls'], timeout_ms: 1000 },
    output: {
      type: 'shell_call_output',
      output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    result: '[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}]',
  },
  local_shell: {
    tool: { type: 'local_shell' },
    name: 'local_shell',
    required: ['command'],
    call: { type: 'local_shell_call', action: { type: 'exec', command: ['ls', '-l'], env: {} } },
    args: { command: ['ls', '-l'], env: {} },
    output: { type: 'local_shell_call_output', id: 'c1', call_id: undefined, output: 'a' },
    result: 'a',
  },
  apply_patch: {
    tool: { type: 'apply_patch' },
    name: 'apply_patch',
    required: ['type', 'path'],
    call: { type: 'apply_patch_call', operation: { type: 'create_file', path: 'a', diff: '+x' } },
    args: { type: 'create_file', path: 'a', diff: '+x' },
    output: { type: 'apply_patch_call_output', status: 'failed', output: 'no such file' },
    result: 'failed: no such file',
  },
  computer: {
    tool: { type: 'computer' },
    name: 'computer',
    required: ['actions'],
    call: { type: 'computer_call', actions: [{ type: 'screenshot' }], pending_safety_checks: [] },
    args: { actions: [{ type: 'screenshot' }] },
    output: { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: PNG } },
    result: [{ type: 'image_url', image_url: { url: PNG } }],
  },
  computer_use_preview: {
    tool: { type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'browser' },
    name: 'computer',
    required: ['action'],
    call: { type: 'computer_call', action: { type: 'click', x: 1, y: 2 }, pending_safety_checks: [] },
    args: { actions: [{ type: 'click', x: 1, y: 2 }] },
    output: { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: PNG } },
    result: [{ type: 'image_url', image_url: { url: PNG } }],
  },
  tool_search: {
    tool: {
      type: 'tool_search',
      execution: 'client',
      description: 'd',
      parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    },
    name: 'tool_search',
    required: ['q'],
    call: { type: 'tool_search_call', execution: 'client', arguments: { q: 'x' } },
    args: { q: 'x' },
    output: { type: 'tool_search_output', execution: 'client', tools: FOUND },
    result: 'These tools are available: f, mcp__g',
  },
  custom: {
    tool: { type: 'custom', name: 'edit', format: { type: 'text' } },
    name: 'edit',
    required: ['input'],
    call: { type: 'custom_tool_call', name: 'edit', input: 'a "b"' },
    args: { input: 'a "b"' },
    output: { type: 'custom_tool_call_output', output: [{ type: 'input_text', text: 'ok' }] },
    result: 'ok',
  },
}

describe.each(Object.entries(CASES))('%s', (_, { tool, name, required, call, args, output, result }) => {
  const items = [
    { role: 'user', content: 'hi' },
    { call_id: 'c1', status: 'completed', ...call },
    { call_id: 'c1', status: 'completed', ...output },
  ]

  test('is offered as a function, and can be chosen', () => {
    const choice = { tools: [tool], tool_choice: { ...tool } }
    const { body, hostedTools, nativeOnlyFeature } = parseWith(choice)
    expect([hostedTools, nativeOnlyFeature]).toEqual([undefined, undefined])
    expect(body.tools).toMatchObject([{ function: { name, parameters: { required } } }])
    expect(body.tool_choice).toEqual({ type: 'function', function: { name } })
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [tool] }
    const limited = parseWith({
      tools: [{ type: 'function', name: 'other' }, tool],
      tool_choice: allowed,
    }).body
    expect(limited.tools).toHaveLength(1)
  })

  test('has its calls and results in a history as those of a function', () => {
    const { body, nativeOnlyFeature } = parseWith({ tools: [tool], input: items })
    expect(nativeOnlyFeature).toBeUndefined()
    const [, turn, resultMessage] = body.messages
    expect(turn?.tool_calls).toMatchObject([{ id: 'c1', type: 'function', function: { name } }])
    expect(JSON.parse(turn?.tool_calls?.[0]?.function.arguments ?? '')).toEqual(args)
    expect(resultMessage).toMatchObject({ role: 'tool', tool_call_id: 'c1', content: result })
  })

  test('gets its calls back in its own form, whole and streamed', () => {
    const { echoedFields } = parseWith({ tools: [tool] })
    const context = responseContext({ echoedFields: { ...echoedFields } })
    const text = JSON.stringify(args)
    const toolCalls = [{ id: 'c1', type: 'function' as const, function: { name, arguments: text } }]
    const reply = { choices: [{ text: '', toolCalls, finish: 'tool_calls' as const }] }
    const expected = { call_id: 'c1', status: 'completed', ...call }
    expect(writeReply(reply, NO_USAGE, context).output).toMatchObject([expected])
    const writer = createWriter(context)
    const events = [
      writer.write({ type: 'tool-call-start', index: 0, id: 'c1', name, arguments: '' }),
      ...[...text].map(piece => writer.write({ type: 'tool-arguments-delta', index: 0, text: piece })),
      writer.write({ type: 'finish', reason: 'tool_calls' }),
      writer.end(NO_USAGE),
    ]
    const written = events.join('').split('\n\n').filter(Boolean)
    const jsons = written.map(event => JSON.parse(event.slice(event.indexOf('\ndata: ') + 7)))
    expect(jsons.find(({ type }) => type === 'response.output_item.done')).toMatchObject({ item: expected })
    expect(jsons.at(-1)).toMatchObject({ response: { output: [expected] } })
  })

  test.each(['', 'ls', '[]', '{}', '{"commands":3,"command":{},"path":[],"actions":[{}]}'])(
    'gives %p of a model a form that its client can read',
    wrong => {
      const { echoedFields } = parseWith({ tools: [tool] })
      const toolCalls = [{ id: 'c1', type: 'function' as const, function: { name, arguments: wrong } }]
      const reply = { choices: [{ text: '', toolCalls, finish: 'tool_calls' as const }] }
      const [item] = Object(
        writeReply(reply, NO_USAGE, responseContext({ echoedFields: { ...echoedFields } })),
      ).output
      expect(Object.keys(item)).toEqual(expect.arrayContaining(Object.keys(call)))
      const again = parseWith({ tools: [tool], input: [items[0], item, items[2]] })
      expect(again.body.messages[1]?.tool_calls).toHaveLength(1)
    },
  )
})

test('offers the tools that items add, and gives their calls back with their namespace', () => {
  const input = [
    { role: 'user', content: 'hi' },
    { type: 'tool_search_call', call_id: 'c1', execution: 'client', arguments: '{"q":"x"}' },
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', tools: FOUND },
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'edit' }] },
    { type: 'function_call', call_id: 'c2', namespace: 'mcp', name: 'g', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c2', output: 'ok' },
  ]
  const { body, echoedFields, nativeOnlyFeature } = parseWith({ input })
  expect(nativeOnlyFeature).toBeUndefined()
  expect(body.tools?.map(tool => tool.function.name)).toEqual(['f', 'mcp__g', 'edit'])
  expect(body.messages).toMatchObject([
    { role: 'user' },
    { tool_calls: [{ function: { name: 'tool_search' } }] },
    { role: 'tool', tool_call_id: 'c1' },
    { tool_calls: [{ function: { name: 'mcp__g' } }] },
    { role: 'tool', tool_call_id: 'c2' },
  ])
  const toolCalls = [{ id: 'c3', type: 'function' as const, function: { name: 'mcp__g', arguments: '{}' } }]
  const reply = { choices: [{ text: '', toolCalls, finish: 'tool_calls' as const }] }
  const context = responseContext({ echoedFields: { ...echoedFields } })
  const response = writeReply(reply, NO_USAGE, context)
  expect(response.output).toMatchObject([{ type: 'function_call', namespace: 'mcp', name: 'g' }])
  expect(response.tools).toEqual([])
})

test('keeps a function apart from a tool that has its name by its type', () => {
  const tools = [{ type: 'function', name: 'shell' }, { type: 'shell' }]
  const { body, echoedFields } = parseWith({
    tools,
    input: [
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id: 'a', name: 'shell', arguments: '{}' },
      { type: 'shell_call', call_id: 'b', action: { commands: ['ls'] } },
    ],
  })
  const names = body.tools?.map(tool => tool.function.name) ?? []
  expect(new Set(names).size).toBe(2)
  const calls = body.messages[1]?.tool_calls ?? []
  expect(calls.map(call => call.function.name)).toEqual(names)
  const reply = { choices: [{ text: '', toolCalls: calls, finish: 'tool_calls' as const }] }
  const { output } = writeReply(reply, NO_USAGE, responseContext({ echoedFields: { ...echoedFields } }))
  expect(output).toMatchObject([{ type: 'function_call' }, { type: 'shell_call' }])
})

test.each([
  ['a shell of the provider', { type: 'shell', environment: { type: 'container_auto' } }, 'shell'],
  ['a search of the provider', { type: 'tool_search' }, 'tool_search'],
] as const)('leaves %s to the provider', (_, tool, name) => {
  const { body, hostedTools } = parseWith({ tools: [tool], tool_choice: { type: tool.type } })
  expect(body.tools).toBeUndefined()
  expect(body.tool_choice).toBeUndefined()
  expect(hostedTools).toEqual({ tools: [{ name, isForeign: true }], forced: [name] })
})

test('takes the effort of the last configuration in the items', () => {
  const update = (effort: string) => ({ type: 'configuration_update', reasoning: { effort } })
  const input = [update('high'), { role: 'user', content: 'hi' }, update('low')]
  const { body, nativeOnlyFeature } = parseWith({ input, reasoning: { effort: 'medium' } })
  expect(nativeOnlyFeature).toBeUndefined()
  expect([body.reasoning_effort, body.messages]).toEqual(['low', [{ role: 'user', content: 'hi' }]])
})

test('leaves records of what the provider searched for out', () => {
  const input = [
    { role: 'user', content: 'hi' },
    { type: 'tool_search_call', call_id: null, execution: 'server', arguments: { paths: ['x'] } },
    { type: 'tool_search_output', call_id: null, execution: 'server', tools: FOUND },
  ]
  const { body } = parseWith({ input })
  expect(body.messages).toHaveLength(1)
  expect(body.tools).toHaveLength(2)
})

test.each([
  [{ type: 'shell_call', call_id: 'a', action: { commands: 'ls' } }, 'input[1].action.commands'],
  [{ type: 'shell_call', action: { commands: ['ls'] } }, 'input[1].call_id'],
  [{ type: 'shell_call_output', call_id: 'a', output: 3 }, 'input[1].output'],
  [{ type: 'custom_tool_call', call_id: 'a', name: 'edit' }, 'input[1].input'],
  [{ type: 'custom_tool_call_output', call_id: 'a', output: { a: 1 } }, 'input[1].output'],
  [{ type: 'apply_patch_call', call_id: 'a', operation: { type: 'x' } }, 'input[1].operation.path'],
  [{ type: 'computer_call_output', call_id: 'a', output: 'x' }, 'input[1].output'],
  [{ type: 'tool_search_output', call_id: 'a', tools: [3] }, 'input[1].tools[0]'],
  [{ type: 'additional_tools', tools: 'x' }, 'input[1].tools'],
])('names what is wrong in %j', (item, place) => {
  expect(() => parseWith({ input: [{ role: 'user', content: 'hi' }, item] })).toThrow(place)
})

test('keeps a screenshot that lies at the provider with its provider', () => {
  const output = { type: 'computer_screenshot', file_id: 'file-1' }
  const { nativeOnlyFeature } = parseWith({
    input: [
      { role: 'user', content: 'hi' },
      { type: 'computer_call_output', call_id: 'a', output },
    ],
  })
  expect(nativeOnlyFeature?.en).toContain('file_id')
})
