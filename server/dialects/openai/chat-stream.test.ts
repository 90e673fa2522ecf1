import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import { responseContext } from '../testing.ts'
import { openChatWriter } from './chat-stream.ts'

const context = responseContext({ requestId: 'r1', nowSeconds: 5, wantsUsage: false })
const usage = { ...NO_USAGE, input: 3, cachedInput: 2, output: 4, reasoning: 1 }

const write = (chunks: readonly ChatChunk[]): readonly unknown[] => {
  const writer = openChatWriter(context)
  const text = chunks.map(chunk => writer.write(chunk)).join('')
  return text
    .split('\n\n')
    .filter(Boolean)
    .map(event => JSON.parse(event.slice('data: '.length)))
}
const deltasOf = (chunks: readonly ChatChunk[]) => write(chunks).map(chunk => Object(chunk).choices[0])

test('begins each choice with its role, once', () => {
  const chunks: ChatChunk[] = [
    { type: 'start', id: 'x', model: 'm' },
    { type: 'text-delta', text: 'a' },
    { type: 'text-delta', text: 'b', choice: 1 },
    { type: 'finish', reason: 'stop', choice: 1 },
  ]
  expect(deltasOf(chunks)).toEqual([
    { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null },
    { index: 0, delta: { content: 'a' }, finish_reason: null },
    { index: 1, delta: { role: 'assistant', content: '' }, finish_reason: null },
    { index: 1, delta: { content: 'b' }, finish_reason: null },
    { index: 1, delta: {}, finish_reason: 'stop' },
  ])
})

test('uses the ids and names of the request where the vendor gives none', () => {
  expect(write([{ type: 'text-delta', text: 'a' }])[0]).toMatchObject({
    id: 'chatcmpl-r1',
    object: 'chat.completion.chunk',
    created: 5,
    model: 'asked',
  })
})

test('writes reasoning, its signature and refusals under their own names', () => {
  const deltas = deltasOf([
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'reasoning-signature', signature: 's' },
    { type: 'refusal-delta', text: 'no' },
  ])
  expect(deltas.slice(1).map(({ delta }) => delta)).toEqual([
    { reasoning_content: 'hm' },
    { reasoning_signature: 's' },
    { refusal: 'no' },
  ])
})

test('keeps quotes, line breaks and other scripts of a text', () => {
  const text = '"\n\u2028你好🎈\\'
  expect(deltasOf([{ type: 'text-delta', text }])[1].delta).toEqual({ content: text })
})

test('writes usage only for a client that asked, and the end mark once', () => {
  expect(openChatWriter(context).end(usage)).toBe('data: [DONE]\n\n')
  const [first = '', second] = openChatWriter({ ...context, wantsUsage: true })
    .end(usage)
    .split('\n\n')
  expect(second).toBe('data: [DONE]')
  expect(JSON.parse(first.slice(6))).toMatchObject({
    choices: [],
    usage: {
      prompt_tokens: 5,
      completion_tokens: 5,
      total_tokens: 10,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  })
})

test('ends a failed answer with an error and without the end mark', () => {
  const text = openChatWriter(context).fail({ status: 502, code: 'broken', message: 'it broke' })
  expect(text).not.toContain('[DONE]')
  expect(JSON.parse(text.slice(6))).toEqual({
    error: { message: 'it broke (request id: r1)', type: 'tollgate_error', param: '', code: 'broken' },
  })
})
