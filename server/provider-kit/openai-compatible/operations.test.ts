import { expect, test } from 'bun:test'
import type { JsonObject } from '../contract/chat.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import { openaiCompatibleCompletions, openaiCompatibleEmbeddings } from './operations.ts'

const call: AdapterCall<JsonObject> = {
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  model: 'm',
  body: { model: 'asked', prompt: 'a', stream: true, unheard_of: 1 },
  isStream: true,
  requestId: 'r',
  nowSeconds: 0,
}

test('sends the complete body and requests usage', () => {
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

test('reads the texts, the end and the usage of all choices from a stream', () => {
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

test('reads an error in a stream as a failure', () => {
  const reader = openaiCompatibleCompletions().stream?.(call)
  const data = JSON.stringify({ error: { message: 'gone', type: 'server_error' } })
  expect(reader?.read({ data, raw: '' })).toMatchObject([{ type: 'failure', failure: { message: 'gone' } }])
})

const embeddings = openaiCompatibleEmbeddings({ drop: ['user'] })
const embeddingsCall = {
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  model: 'mapped',
  body: { model: 'asked', input: ['a', 'b'], user: 'u', dimensions: 2 },
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
}

test('sends the mapped model name and every field that the vendor accepts', () => {
  const { url, body } = embeddings.request(embeddingsCall)
  expect(url).toBe('https://v.example/v1/embeddings')
  expect(JSON.parse(String(body))).toEqual({ model: 'mapped', input: ['a', 'b'], dimensions: 2 })
})

test('sorts vectors by the order of the inputs', () => {
  const data = [
    { index: 1, embedding: [2] },
    { index: 0, embedding: [1] },
  ]
  expect(embeddings.reply({ data }, embeddingsCall)).toMatchObject({ reply: { vectors: [[1], [2]] } })
})

test('decodes responses instead of passing through numbers in place of base64', () => {
  expect(embeddings.nativeFormat).toBeUndefined()
})

test('reads an error with status 200 as a failure', () => {
  const json = { error: { message: 'no such model', code: 'model_not_found' } }
  expect(embeddings.reply(json, embeddingsCall)).toMatchObject({ kind: 'failure', failure: { status: 404 } })
})
