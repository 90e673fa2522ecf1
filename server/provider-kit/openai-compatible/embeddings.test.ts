import { expect, test } from 'bun:test'
import { openaiCompatibleEmbeddings } from './embeddings.ts'

const embeddings = openaiCompatibleEmbeddings({ drop: ['user'] })
const call = {
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  model: 'mapped',
  body: { model: 'asked', input: ['a', 'b'], user: 'u', dimensions: 2 },
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
}

test('sends the mapped name, and everything that the vendor takes', () => {
  const { url, body } = embeddings.request(call)
  expect(url).toBe('https://v.example/v1/embeddings')
  expect(JSON.parse(String(body))).toEqual({ model: 'mapped', input: ['a', 'b'], dimensions: 2 })
})

test('puts vectors into the order of the inputs', () => {
  const data = [
    { index: 1, embedding: [2] },
    { index: 0, embedding: [1] },
  ]
  expect(embeddings.reply({ data }, call)).toMatchObject({ reply: { vectors: [[1], [2]] } })
})

test('does not hand on bytes in which numbers may stand for base64', () => {
  expect(embeddings.wire).toBeUndefined()
})

test('takes an error with status 200 for a failure', () => {
  const json = { error: { message: 'no such model', code: 'model_not_found' } }
  expect(embeddings.reply(json, call)).toMatchObject({ kind: 'failure', failure: { status: 404 } })
})
