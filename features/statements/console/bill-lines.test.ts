import { expect, test } from 'bun:test'
import type { OwnAnalyticsFigures } from '#features/analytics/contract.ts'
import { billLines } from './bill-lines.ts'

const figures = (changes: Partial<OwnAnalyticsFigures>): OwnAnalyticsFigures => ({
  requests: 1,
  errors: 0,
  quota: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  audio_input_tokens: 0,
  image_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  audio_output_tokens: 0,
  ...changes,
})

const MODELS = [
  {
    value: 'small',
    figures: figures({ requests: 3, errors: 1, quota: 20, input_tokens: 5, output_tokens: 2 }),
  },
  {
    value: 'large',
    figures: figures({ quota: 70, cached_input_tokens: 4, input_tokens: 6, reasoning_tokens: 3 }),
  },
  { value: 'failing', figures: figures({ requests: 2, errors: 2 }) },
]

test('lists models by amount, without those that only failed', () => {
  expect(billLines(MODELS, { charged: 90, requests: 3 })).toEqual([
    { model: 'large', requests: 1, inputTokens: 10, outputTokens: 3, amount: 70 },
    { model: 'small', requests: 2, inputTokens: 5, outputTokens: 2, amount: 20 },
  ])
})

test.each([
  ['newer charges', 100, 10],
  ['corrections', 85, -5],
])('adds up to the charges of the statement with %s', (_, charged, rest) => {
  const lines = billLines(MODELS, { charged, requests: 4 })
  expect(lines.at(-1)).toMatchObject({ model: '', amount: rest })
  expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(charged)
})
