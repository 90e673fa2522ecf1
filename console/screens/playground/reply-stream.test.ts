import { expect, test } from 'bun:test'
import { readChunk, appendChunk } from './reply-stream.ts'
import { pendingReply, type ChatMessage } from './chat-message.ts'

const chunk = (delta: unknown): string => JSON.stringify({ choices: [{ index: 0, delta }] })

const answered = (...events: readonly string[]): ChatMessage =>
  events.reduce((turn, event) => {
    const read = readChunk(event)
    return read ? appendChunk(turn, read) : turn
  }, pendingReply('gpt-4o'))

test('an answer is awaited until its first word, not its first event', () => {
  expect(answered(chunk({ role: 'assistant', content: '' })).state).toBe('loading')
  expect(answered(chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hi' })).state).toBe(
    'incomplete',
  )
})

test('words, thoughts and tool calls are put together piece by piece', () => {
  const turn = answered(
    chunk({ reasoning_content: 'Let me ' }),
    chunk({ reasoning: 'think.' }),
    chunk({ content: 'It is ' }),
    chunk({ content: 'warm.' }),
    chunk({ tool_calls: [{ index: 1, function: { name: 'b', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { name: 'weather', arguments: '{"city"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':"Rome"}' } }] }),
  )
  expect(turn.reasoning).toBe('Let me think.')
  expect(turn.content).toBe('It is warm.')
  expect(turn.toolCalls).toEqual([
    { index: 0, name: 'weather', arguments: '{"city":"Rome"}' },
    { index: 1, name: 'b', arguments: '' },
  ])
})

test('events without words, of unknown shape or broken change nothing and break nothing', () => {
  const before = answered(chunk({ content: 'a' }))
  for (const event of [
    '{"choices":[],"usage":{"total_tokens":3}}',
    '{"choices":[{}]}',
    '{"x":1}',
    '{"choi',
    '7',
  ])
    expect(answered(chunk({ content: 'a' }), event)).toEqual({ ...before, id: expect.any(String) })
})

test('an error in the stream is seen', () => {
  expect(readChunk('{"error":{"message":"no more quota","type":"x"}}')?.error?.message).toBe('no more quota')
})
