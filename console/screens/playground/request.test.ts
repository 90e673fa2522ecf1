import { expect, test } from 'bun:test'
import { toRequestBody, parseTools } from './request.ts'
import { Settings } from './settings.ts'
import { pendingReply, userMessage } from './chat-message.ts'

const FIRST = Settings.parse({})

test('begins with the model of the specification, and leaves temperature and length to the provider', () => {
  expect(toRequestBody(FIRST, [userMessage('hi')])).toEqual({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  })
})

test('sends what was chosen, and the words of the system first', () => {
  const settings = { ...FIRST, group: 'vip', temperature: 0.3, maxTokens: 200, system: 'Be short.' }
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

test('an answer that said nothing is left out', () => {
  const answer = { ...pendingReply('m'), content: 'yes' }
  const { messages } = toRequestBody(FIRST, [userMessage('a'), pendingReply('m'), userMessage('b'), answer])
  expect(messages.map(({ content }) => content)).toEqual(['a', 'b', 'yes'])
})

test('tools are a list, everything else is none', () => {
  expect(parseTools('[{"type":"function"}]')).toEqual([{ type: 'function' }])
  for (const text of ['', '[]', '{}', '[', 'null']) expect(parseTools(text)).toBeUndefined()
})
