import { expect, test } from 'bun:test'
import { readPresentedKey } from './api-key.ts'

const present = (path: string, headers: Record<string, string>) => {
  const url = new URL(path, 'http://gateway.test')
  return readPresentedKey(new Headers(headers), url)
}

test.each([
  ['/v1/chat/completions', { authorization: 'Bearer sk-abc' }, 'abc'],
  ['/v1/chat/completions', { authorization: 'sk-abc' }, 'abc'],
  ['/v1/chat/completions', { authorization: 'abc' }, 'abc'],
  ['/v1/messages', { 'x-api-key': 'sk-abc' }, 'abc'],
  ['/v1/messages', { authorization: 'Bearer sk-abc' }, 'abc'],
  ['/v1/models', { 'x-api-key': 'sk-abc', 'anthropic-version': '2023-06-01' }, 'abc'],
  ['/v1/models/m:countTokens', { 'x-goog-api-key': 'sk-abc' }, 'abc'],
  ['/v1beta/models/m:generateContent', { 'x-goog-api-key': 'sk-abc' }, 'abc'],
  ['/v1beta/models/m:generateContent?key=sk-abc', {}, 'abc'],
  ['/v1/realtime', { 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.sk-abc' }, 'abc'],
] as const)('reads the key from %s with %j', (path, headers, key) => {
  expect(present(path, headers)).toEqual({ key, channelText: undefined })
})

test('reads the channel after the second dash of a key', () => {
  expect(present('/v1/models', { authorization: 'Bearer sk-abc-7' })).toEqual({
    key: 'abc',
    channelText: '7',
  })
})

test('ignores a key in the query in the OpenAI dialect', () => {
  expect(present('/v1/chat/completions?key=sk-abc', {})).toBeUndefined()
})

test.each([['Bearer '], ['sk-'], ['']])('finds no key in %j', authorization => {
  expect(present('/v1/models', { authorization })).toBeUndefined()
})
