import { expect, test } from 'bun:test'
import { chat } from './chat.ts'

const requestOf = (other: string) =>
  chat.request({
    channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other, organization: '', setting: {} },
    model: 'gpt-3.5-turbo',
    body: {
      model: 'asked',
      messages: [
        { role: 'system', content: 'Be terse.' },
        { role: 'user', content: 'Weather in Lisbon?' },
      ],
    },
    isStream: true,
    requestId: 'r',
    nowSeconds: 0,
  })

test("sends the last question to the channel's library and rejects a channel without one", () => {
  expect(requestOf('lib-1').url).toBe('https://v.example/api/library/ask')
  expect(JSON.parse(String(requestOf('lib-1').body))).toEqual({
    model: 'gpt-3.5-turbo',
    stream: true,
    query: 'Weather in Lisbon?',
    libraryId: 'lib-1',
  })
  expect(() => requestOf('')).toThrow('names no library')
})
