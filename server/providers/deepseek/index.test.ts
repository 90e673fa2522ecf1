import { expect, test } from 'bun:test'
import { withoutOldReasoning } from './index.ts'

const thought = { role: 'assistant', content: 'a', reasoning_content: 'hm', reasoning_signature: 's' }
const calling = { ...thought, tool_calls: [{ id: 'c', type: 'function', function: {} }] }
const user = { role: 'user', content: 'u' }

test('keeps the reasoning of the current turn with tool calls', () => {
  const messages = [user, calling, { role: 'tool', tool_call_id: 'c', content: 't' }]
  expect(withoutOldReasoning({ messages })).toEqual({ messages })
})

test('drops the reasoning of earlier turns and of replies without tool calls', () => {
  const { reasoning_content, reasoning_signature, ...old } = calling
  expect(withoutOldReasoning({ messages: [calling, user, thought] })).toEqual({
    messages: [old, user, { role: 'assistant', content: 'a' }],
  })
})
