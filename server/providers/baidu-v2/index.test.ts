import { expect, test } from 'bun:test'
import { qianfanHeaders, toQianfanBody } from './index.ts'

const headersOf = (key: string) =>
  qianfanHeaders({
    channel: { id: 1, key, baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  })

test('sends a single output limit under its newer name', () => {
  expect(toQianfanBody({ max_tokens: 5 })).toEqual({ max_completion_tokens: 5 })
  expect(toQianfanBody({ max_completion_tokens: 9, max_tokens: 5 })).toEqual({ max_completion_tokens: 9 })
})

test('names the application that follows the key', () => {
  expect(headersOf('bce-v3/a/b|app-1')).toMatchObject({ authorization: 'Bearer bce-v3/a/b', appid: 'app-1' })
  expect(headersOf('bce-v3/a/b')).not.toHaveProperty('appid')
})

test('sends stop as a list and a penalty only where it is a valid score', () => {
  expect(toQianfanBody({ stop: 'a', frequency_penalty: 1.5, presence_penalty: 1 })).toEqual({
    stop: ['a'],
    penalty_score: 1.5,
  })
  expect(toQianfanBody({ frequency_penalty: 0.5 })).toEqual({})
})
