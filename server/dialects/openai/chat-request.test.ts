import { expect, test } from 'bun:test'
import { GatewayError } from '../../core/errors.ts'
import { parseChat } from './chat-request.ts'

const messages = [{ role: 'user', content: 'hi' }]
const thrownBy = (json: unknown): unknown => {
  try {
    return parseChat(json)
  } catch (thrown) {
    return thrown
  }
}

test.each([
  [null, 'invalid_request', 'the body: found null, needed object'],
  [[], 'invalid_request', 'the body: found a list of 0, needed object'],
  [{ messages }, 'model_required', 'model: found nothing, needed the name of a model'],
  [{ model: '', messages }, 'model_required', 'model: found nothing, needed the name of a model'],
  [{ model: 7, messages }, 'invalid_request', 'model: found 7, needed string'],
  [{ model: 'm' }, 'invalid_request', 'messages: found nothing, needed array'],
  [{ model: 'm', messages: [] }, 'invalid_request', 'messages: found a list of 0, needed at least 1'],
  [
    { model: 'm', messages: [{ role: 'boss' }] },
    'invalid_request',
    'messages[0].role: found "boss", needed one of "system", "developer", "user", "assistant", "tool", "function"',
  ],
  [
    { model: 'm', messages: [{ role: 'user', content: 7 }] },
    'invalid_request',
    'messages[0].content: found 7, needed text or a list of parts',
  ],
  [
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    'invalid_request',
    'messages[0].content[0]: found an object, needed a part with a field of the same name as its type',
  ],
  [
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    'invalid_request',
    'messages[0].content[0].image_url.url: found nothing, needed string',
  ],
  [{ model: 'm', messages, max_tokens: -1 }, 'invalid_request', 'max_tokens: found -1, needed at least 0'],
  [{ model: 'm', messages, max_tokens: 1.5 }, 'invalid_request', 'max_tokens: found 1.5, needed int'],
  [
    { model: 'm', messages, max_tokens: 2 ** 40 },
    'invalid_request',
    'max_tokens: found 1099511627776, needed at most 1073741824',
  ],
  [{ model: 'm', messages, n: 1000 }, 'invalid_request', 'n: found 1000, needed at most 128'],
  [{ model: 'm', messages, temperature: '1' }, 'invalid_request', 'temperature: found "1", needed number'],
  [{ model: 'm', messages, temperature: 3 }, 'invalid_request', 'temperature: found 3, needed at most 2'],
  [{ model: 'm', messages, stream: 'yes' }, 'invalid_request', 'stream: found "yes", needed boolean'],
  [
    { model: 'm', messages, tools: [{ type: 'function', function: {} }] },
    'invalid_request',
    'tools[0].function.name: found nothing, needed string',
  ],
])('states for %j what was found and needed', (json, code, message) => {
  expect(thrownBy(json)).toBeInstanceOf(GatewayError)
  expect(thrownBy(json)).toMatchObject({ code, status: 400, message })
})

test('keeps unknown fields, zeros and nulls', () => {
  const json = { model: 'm', messages, temperature: 0, top_p: null, metadata: { a: [1] }, unheard_of: false }
  expect<object>(parseChat(json).body).toEqual(json)
})

test('treats a limit of 0 as no limit, as the playground sends it', () => {
  const { body, maxOutputTokens } = parseChat({ model: 'm', messages, max_tokens: 0 })
  expect<object>(body).toEqual({ model: 'm', messages })
  expect(maxOutputTokens).toBeUndefined()
})

test('multiplies the limit by the number of choices', () => {
  expect(parseChat({ model: 'm', messages, max_tokens: 10, n: 3 }).maxOutputTokens).toBe(30)
  expect(
    parseChat({ model: 'm', messages, max_tokens: 10, max_completion_tokens: 20, n: 0 }).maxOutputTokens,
  ).toBe(20)
})

test('reads whether the client requests a stream and its usage', () => {
  const json = { model: 'm', messages, stream: true, stream_options: { include_usage: true } }
  expect(parseChat(json)).toMatchObject({ isStream: true, wantsUsage: true })
  expect(parseChat({ model: 'm', messages })).toMatchObject({ isStream: false, wantsUsage: false })
})

test('prefers the model name in the URL over the one in the body', () => {
  expect(parseChat({ messages }, { model: 'path' })).toMatchObject({ model: 'path', body: { model: 'path' } })
})

test('accepts an image as a bare URL and parts of unknown types', () => {
  const content = [
    { type: 'image_url', image_url: 'https://x.example/a.png' },
    { type: 'video_url', video_url: { url: 'https://x.example/a.mp4' } },
  ]
  const json = { model: 'm', messages: [{ role: 'user', content }] }
  expect<object>(parseChat(json).body).toEqual(json)
})
