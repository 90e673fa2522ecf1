import { describe, expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import { withTextFunctions } from '../../provider-kit/rules/chat-rules.ts'
import { responseContext } from '../testing.ts'
import { parseChat } from './chat-request.ts'
import { createChatWriter, writeChatReply } from './chat-response.ts'

const custom = (name: string, format: object) => ({
  type: 'custom',
  custom: { name, description: 'Edits.', format },
})
const GRAMMAR = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: X' } }
const call = { id: 'a', type: 'custom', custom: { name: 'edit', input: 'a "b"' } }
const parse = (fields: object) =>
  parseChat({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields }).body

describe('custom tools of chat completions', () => {
  test('become functions, with their choice and the calls of the history', () => {
    const body = withTextFunctions(
      parse({
        tools: [custom('edit', { type: 'text' }), custom('draw', GRAMMAR)],
        tool_choice: { type: 'custom', custom: { name: 'edit' } },
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'a', content: 'ok' },
        ],
      }),
    )
    expect(body.tools).toMatchObject([
      { type: 'function', function: { name: 'edit', parameters: { required: ['input'] } } },
      { type: 'function', function: { name: 'draw', description: expect.stringContaining('start: X') } },
    ])
    expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'edit' } })
    expect(body.messages[1]?.tool_calls).toEqual([
      { id: 'a', type: 'function', function: { name: 'edit', arguments: '{"input":"a \\"b\\""}' } },
    ])
  })

  test('in a history are converted without a declaration', () => {
    const messages = [{ role: 'assistant', tool_calls: [call] }]
    expect(withTextFunctions(parse({ messages })).messages[0]?.tool_calls?.[0]?.type).toBe('function')
  })

  test('get their calls back, whole and streamed', () => {
    const { echoedFields = {} } = parseChat({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      tools: [custom('edit', { type: 'text' }), { type: 'function', function: { name: 'f' } }],
    })
    const context = responseContext({ echoedFields, wantsUsage: false })
    const toolCalls = [
      { id: 'a', type: 'function' as const, function: { name: 'edit', arguments: '{"input":"a \\"b\\""}' } },
      { id: 'b', type: 'function' as const, function: { name: 'f', arguments: '{}' } },
    ]
    const reply = { choices: [{ text: '', toolCalls, finish: 'tool_calls' as const }] }
    expect(writeChatReply(reply, NO_USAGE, context)).toMatchObject({
      choices: [{ message: { tool_calls: [call, toolCalls[1]] } }],
    })
    const chunks: readonly ChatChunk[] = [
      { type: 'tool-call-start', index: 0, id: 'a', name: 'edit', arguments: '' },
      { type: 'tool-arguments-delta', index: 0, text: '{"input":"a ' },
      { type: 'tool-call-start', index: 1, id: 'b', name: 'f', arguments: '' },
      { type: 'tool-arguments-delta', index: 0, text: '\\"b\\""}' },
      { type: 'tool-arguments-delta', index: 1, text: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ]
    const writer = createChatWriter(context)
    const text = chunks.map(chunk => writer.write(chunk)).join('') + writer.end(NO_USAGE)
    const events = text.split('\n\n').filter(event => event.startsWith('data: {'))
    const deltas = events.map(event => JSON.parse(event.slice(6)).choices[0].delta.tool_calls?.[0])
    expect(deltas.filter(Boolean)).toEqual([
      { index: 0, id: 'a', type: 'custom', custom: { name: 'edit', input: '' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
      { index: 0, custom: { input: 'a "b"' } },
    ])
    expect(JSON.parse(events.at(-1)?.slice(6) ?? '').choices[0].finish_reason).toBe('tool_calls')
  })

  test('without any, the body is the same object', () => {
    const body = parse({ tools: [{ type: 'function', function: { name: 'f' } }] })
    expect(withTextFunctions(body)).toBe(body)
  })
})
