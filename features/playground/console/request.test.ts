import { expect, test } from 'bun:test'
import { pendingReply, userMessage } from './chat-message.ts'
import { parseTools, toRequestBody, toSnippets } from './request.ts'
import { Settings } from './settings.ts'

const DEFAULTS = Settings.parse({})

test('the default request uses the model of the specification and omits temperature and length', () => {
  expect(toRequestBody(DEFAULTS, [userMessage('hi')])).toEqual({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  })
})

test('a request contains the chosen settings and starts with the system prompt', () => {
  const settings = { ...DEFAULTS, group: 'vip', temperature: 0.3, maxTokens: 200, system: 'Be short.' }
  expect(toRequestBody(settings, [userMessage('hi')])).toMatchObject({
    group: 'vip',
    temperature: 0.3,
    max_tokens: 200,
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'hi' },
    ],
  })
})

test('a request omits replies without content', () => {
  const reply = { ...pendingReply('m'), content: 'yes' }
  const { messages } = toRequestBody(DEFAULTS, [userMessage('a'), pendingReply('m'), userMessage('b'), reply])
  expect(messages.map(({ content }) => content)).toEqual(['a', 'b', 'yes'])
})

const picture = { name: 'cat.png', url: `data:image/png;base64,${'A'.repeat(5000)}` }

test('a message with pictures is sent in parts, without an empty text and without pictures that are gone', () => {
  const image = { type: 'image_url' as const, image_url: { url: picture.url } }
  const { messages } = toRequestBody(DEFAULTS, [
    userMessage('what is this?', [picture]),
    userMessage('', [picture]),
    userMessage('and this?', [{ name: 'gone.png' }]),
    userMessage('', [{ name: 'gone.png' }]),
  ])
  expect(messages.map(({ content }) => content)).toEqual([
    [{ type: 'text' as const, text: 'what is this?' }, image],
    [image],
    'and this?',
  ])
})

test('snippets contain only the beginning of a picture', () => {
  const body = toRequestBody(DEFAULTS, [userMessage('hi', [picture])])
  for (const { code } of toSnippets(body, 'https://gateway.example/v1')) {
    expect(code).toContain('data:image/png;base64,AAAA')
    expect(code.length).toBeLessThan(1000)
  }
})

test('parseTools accepts a non-empty list and nothing else', () => {
  expect(parseTools('[{"type":"function"}]')).toEqual([{ type: 'function' }])
  for (const text of ['', '[]', '{}', '[', 'null']) expect(parseTools(text)).toBeUndefined()
})
