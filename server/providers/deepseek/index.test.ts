import { expect, test } from 'bun:test'
import { withoutOtherReasoning } from './index.ts'

const thought = { role: 'assistant', content: 'a', reasoning_content: 'hm', reasoning_signature: 's' }
const calling = { ...thought, tool_calls: [{ id: 'c', type: 'function', function: {} }] }
const user = { role: 'user', content: 'u' }

test('keeps the reasoning of the current turn with tool calls', () => {
  const messages = [user, calling, { role: 'tool', tool_call_id: 'c', content: 't' }]
  expect(withoutOtherReasoning({ messages })).toEqual({ messages })
})

test('drops the reasoning of replies without tool calls, but not of earlier turns', () => {
  expect(withoutOtherReasoning({ messages: [calling, user, thought] })).toEqual({
    messages: [calling, user, { role: 'assistant', content: 'a' }],
  })
})
