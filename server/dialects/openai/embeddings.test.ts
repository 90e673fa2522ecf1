import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import { asArray, asObject } from '../../provider-kit/json.ts'
import { parseEmbeddings, writeEmbeddingsReply } from './embeddings.ts'

const usage = { ...NO_USAGE, input: 4 }

test.each(['text', ['a', 'b'], [1, 2], [[1], [2, 3]]].map(input => [input]))(
  'accepts the input %j',
  input => {
    expect(parseEmbeddings({ model: 'm', input, unheard_of: 1 }).body).toEqual({
      model: 'm',
      input,
      unheard_of: 1,
    })
  },
)

test.each([undefined, '', [], [1.5], [['a']], { text: 'a' }].map(input => [input]))(
  'rejects the input %j',
  input => {
    expect(() => parseEmbeddings({ model: 'm', input })).toThrow(/^input/)
  },
)

test('takes the model from the URL', () => {
  expect(parseEmbeddings({ input: 'a' }, { model: 'path' }).model).toBe('path')
})

const embeddingsOf = (
  encoding_format: 'float' | 'base64',
  vectors: readonly (readonly number[] | string)[],
) => {
  const request = parseEmbeddings({ model: 'm', input: 'a', encoding_format })
  return asArray(writeEmbeddingsReply({ vectors }, usage, request).data).map(row => asObject(row).embedding)
}

test('returns base64 of little-endian float32 when the client requests it', () => {
  expect(embeddingsOf('base64', [[1, -0.5]])).toEqual(['AACAPwAAAL8='])
})

test('returns numbers when the client requests them, whatever the provider sends', () => {
  expect(embeddingsOf('float', ['AACAPwAAAL8=', [1, 2]])).toEqual([
    [1, -0.5],
    [1, 2],
  ])
})

test('numbers the vectors and reports prompt tokens', () => {
  const request = parseEmbeddings({ model: 'm', input: ['a', 'b'] })
  expect(writeEmbeddingsReply({ vectors: [[1], [2]] }, usage, request)).toEqual({
    object: 'list',
    model: 'm',
    data: [
      { object: 'embedding', index: 0, embedding: [1] },
      { object: 'embedding', index: 1, embedding: [2] },
    ],
    usage: { prompt_tokens: 4, total_tokens: 4 },
  })
})
