import { expect, test } from 'bun:test'
import type { EmbeddingsBody } from '../../provider-kit/contract/operations.ts'
import { embeddings } from './operations.ts'

const channel = { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} }
const callOf = (body: EmbeddingsBody) => ({
  channel,
  model: 'embo-01',
  body,
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
})
const sentFor = (body: EmbeddingsBody) => JSON.parse(String(embeddings.request(callOf(body)).body))

test('sends texts as documents unless they are the query', () => {
  expect(sentFor({ model: 'm', input: 'hello' })).toEqual({ model: 'embo-01', texts: ['hello'], type: 'db' })
  expect(sentFor({ model: 'm', input: ['a', 'b'], type: 'query' })).toMatchObject({
    texts: ['a', 'b'],
    type: 'query',
  })
})

test('reads a code inside a 200 as a failure', () => {
  const replied = embeddings.reply(
    { vectors: null, base_resp: { status_code: 1008 } },
    callOf({ model: 'm', input: 'a' }),
  )
  expect(replied).toMatchObject({ kind: 'failure', failure: { status: 402, isKeyRevoked: true } })
})
