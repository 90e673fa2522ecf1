import { expect, test } from 'bun:test'
import { type ChatMessage, pendingReply } from './chat-message.ts'
import { appendChunk, readChunk } from './reply-stream.ts'

const chunk = (delta: unknown): string => JSON.stringify({ choices: [{ index: 0, delta }] })

const replyAfter = (...events: readonly string[]): ChatMessage =>
  events.reduce((reply, event) => {
    const parsed = readChunk(event)
    return parsed ? appendChunk(reply, parsed) : reply
  }, pendingReply('gpt-4o'))

test('a reply is loading until its first token, not its first event', () => {
  expect(replyAfter(chunk({ role: 'assistant', content: '' })).state).toBe('loading')
  expect(replyAfter(chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hi' })).state).toBe(
    'incomplete',
  )
})

test('content, reasoning and tool calls accumulate delta by delta', () => {
  const reply = replyAfter(
    chunk({ reasoning_content: 'Let me ' }),
    chunk({ reasoning: 'think.' }),
    chunk({ content: 'It is ' }),
    chunk({ content: 'warm.' }),
    chunk({ tool_calls: [{ index: 1, function: { name: 'b', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { name: 'weather', arguments: '{"city"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':"Rome"}' } }] }),
  )
  expect(reply.reasoning).toBe('Let me think.')
  expect(reply.content).toBe('It is warm.')
  expect(reply.toolCalls).toEqual([
    { index: 0, name: 'weather', arguments: '{"city":"Rome"}' },
    { index: 1, name: 'b', arguments: '' },
  ])
})

test('events without a delta, of another shape or malformed leave the reply unchanged', () => {
  const before = replyAfter(chunk({ content: 'a' }))
  for (const event of [
    '{"choices":[],"usage":{"total_tokens":3}}',
    '{"choices":[{}]}',
    '{"x":1}',
    '{"choi',
    '7',
  ])
    expect(replyAfter(chunk({ content: 'a' }), event)).toEqual({ ...before, id: expect.any(String) })
})

test('an error event carries its message', () => {
  expect(readChunk('{"error":{"message":"no more quota","type":"x"}}')?.error?.message).toBe('no more quota')
})
