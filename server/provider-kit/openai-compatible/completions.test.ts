import { expect, test } from 'bun:test'
import type { JsonObject } from '../chat.ts'
import type { Call } from '../exchange.ts'
import { openaiCompatibleCompletions } from './completions.ts'

const call: Call<JsonObject> = {
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  model: 'm',
  body: { model: 'asked', prompt: 'a', stream: true, unheard_of: 1 },
  isStream: true,
  requestId: 'r',
  nowSeconds: 0,
}

test('asks with the whole body, for usage too', () => {
  const { url, body } = openaiCompatibleCompletions().request(call)
  expect(url).toBe('https://v.example/v1/completions')
  expect(JSON.parse(String(body))).toEqual({
    model: 'm',
    prompt: 'a',
    stream: true,
    unheard_of: 1,
    stream_options: { include_usage: true },
  })
})

test('reads the texts of all choices from a stream, its end and its usage', () => {
  const reader = openaiCompatibleCompletions().stream?.(call)
  const read = (json: object) => reader?.read({ data: JSON.stringify(json), raw: '' }) ?? []
  const choice = (index: number, text: string, finish_reason: string | null) => ({
    choices: [{ index, text, finish_reason }],
  })
  expect([
    ...read({ id: 'cmpl-1', ...choice(0, 'He', null) }),
    ...read(choice(1, 'Wo', null)),
    ...read(choice(0, 'y', 'length')),
    ...read({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 3 } }),
  ]).toMatchObject([
    { type: 'start', id: 'cmpl-1' },
    { type: 'text-delta', text: 'He', choice: 0 },
    { type: 'text-delta', text: 'Wo', choice: 1 },
    { type: 'text-delta', text: 'y', choice: 0 },
    { type: 'finish', reason: 'length', choice: 0 },
  ])
  expect(reader?.end()).toMatchObject({ isComplete: true, usage: { input: 2, output: 3 } })
})

test('an error in a stream is a failure', () => {
  const reader = openaiCompatibleCompletions().stream?.(call)
  const data = JSON.stringify({ error: { message: 'gone', type: 'server_error' } })
  expect(reader?.read({ data, raw: '' })).toMatchObject([{ type: 'failure', failure: { message: 'gone' } }])
})
