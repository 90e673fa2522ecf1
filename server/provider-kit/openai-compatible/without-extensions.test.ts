import { expect, test } from 'bun:test'
import type { ChatBody, ChatMessage } from '../chat.ts'
import { withoutExtensions } from './without-extensions.ts'

const cache_control = { type: 'ephemeral' }
const bodyOf = (messages: readonly ChatMessage[], fields: Partial<ChatBody> = {}): ChatBody => ({
  model: 'm',
  messages,
  ...fields,
})

test('leaves out what a vendor does not know, and keeps what it knows', () => {
  const body = bodyOf(
    [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'a', cache_control },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: 'yo', reasoning_content: 'hm', reasoning_signature: 's' },
    ],
    { top_k: 4, tools: [{ type: 'function', function: { name: 'f' }, cache_control }] },
  )
  expect(withoutExtensions(body, [])).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'a\nb' },
      { role: 'assistant', content: 'yo' },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
  })
  expect(withoutExtensions(body, ['top_k', 'reasoning_content', 'cache_control'])).toMatchObject({
    top_k: 4,
    messages: [{ content: [{ cache_control }, { text: 'b' }] }, { reasoning_content: 'hm' }],
    tools: [{ cache_control }],
  })
})

test('shows pictures of tools after the last of neighbouring results', () => {
  const picture = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA' } }
  const body = bodyOf([
    { role: 'tool', tool_call_id: 'a', content: [picture] },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'sun' }, picture] },
    { role: 'tool', tool_call_id: 'c', content: 'noon' },
    { role: 'user', content: 'go on' },
  ])
  expect(withoutExtensions(body, []).messages).toMatchObject([
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text' }] },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'sun' }] },
    { role: 'tool', tool_call_id: 'c', content: 'noon' },
    { role: 'user', content: [picture, picture] },
    { role: 'user', content: 'go on' },
  ])
})
