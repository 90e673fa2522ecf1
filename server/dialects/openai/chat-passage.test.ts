import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import { createFramer } from '../../provider-kit/framing/create-framer.ts'
import { responseContext } from '../testing.ts'
import { openChatPassage } from './chat-passage.ts'

const context = responseContext({ requestId: 'r1', nowSeconds: 5, wantsUsage: false })
const usage = { ...NO_USAGE, input: 1, output: 2 }
const DONE = 'data: [DONE]\n\n'
const text =
  'data: {"id":"x",  "choices":[{"delta":{"content":"a \\"usage\\":{} b"}}],"unheard_of":1,"usage":null}\n\n'
const finish = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
const usageOnly = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n'

function pass(stream: string, wantsUsage: boolean): string {
  const framer = createFramer('sse')
  const passage = openChatPassage({ ...context, wantsUsage })
  const events = [...framer.push(new TextEncoder().encode(stream)), ...framer.end()]
  return events.map(event => passage.pass(event)).join('') + passage.end(usage)
}

test('passes everything as it came, byte for byte, to a client that asked for usage', () => {
  const stream = `: keep-alive\n\n${text}${finish}${usageOnly}${DONE}`
  expect(pass(stream, true)).toBe(stream)
})

test('hides the usage chunk from a client that did not ask', () => {
  expect(pass(`${text}${finish}${usageOnly}${DONE}`, false)).toBe(`${text}${finish}${DONE}`)
})

test('takes usage out of a chunk that says something else too', () => {
  const mixed = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}\n\n'
  expect(pass(mixed, false)).toBe(finish + DONE)
})

test('writes the usage that a client asked for and the vendor did not send', () => {
  const passed = pass(text + finish + DONE, true)
  expect(passed).toStartWith(text + finish)
  expect(passed).toEndWith(
    `"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}}\n\n${DONE}`,
  )
})

test.each([
  ['none', text],
  ['one', text + DONE],
  ['two', text + DONE + DONE],
])('writes one end mark where the vendor sent %s', (_, stream) => {
  expect(pass(stream, false)).toBe(text + DONE)
})

test('closes a last event whose blank line is missing', () => {
  expect(pass(finish.trimEnd(), false)).toBe(finish + DONE)
})
