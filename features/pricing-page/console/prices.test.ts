import { expect, test } from 'bun:test'
import type { PricingRow } from '../contract.ts'
import {
  bucketPrice,
  bucketsOf,
  callPrice,
  contextText,
  countProviders,
  isAvailable,
  listPrices,
  modelProvider,
  requestCost,
} from './prices.ts'

const row = (model_name: string, figures: Partial<PricingRow> = {}): PricingRow => ({
  model_name,
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  owner_by: '',
  completion_ratio: 4,
  enable_groups: ['default'],
  ...figures,
})

const ALL = { q: '', provider: '', kind: '', sort: '' } as const
const names = (rows: readonly PricingRow[]) => rows.map(({ model_name }) => model_name)

test('prices a million tokens at model ratio times two times group ratio', () => {
  const priced = row('gpt-4o', { cache_ratio: 0.5 })
  expect(bucketsOf(priced).map(bucket => bucketPrice(priced, bucket, 0.8))).toEqual([2, 8, 1, 2])
  expect(requestCost(priced, { input: 1000, output: 500 }, 0.8)).toBeCloseTo(0.006, 10)
  expect(requestCost(priced, { input: 1000, cached: 9000, output: 500 }, 0.8)).toBeCloseTo(0.015, 10)
})

test('shows cache prices of every model, and special ones only where a model has them', () => {
  expect(bucketsOf(row('a'))).toEqual(['input', 'output', 'cached', 'cacheWrite'])
  const special = row('b', { create_cache_ratio_1h: 2, audio_ratio: 8, audio_completion_ratio: 2 })
  expect(bucketsOf(special).slice(4)).toEqual(['cacheWriteHour', 'audioInput', 'audioOutput'])
  expect(bucketPrice(special, 'audioOutput', 1)).toBe(40)
  expect(bucketsOf(row('c', { quota_type: 1 }))).toEqual(['input'])
})

test('applies the group ratio to a price per call', () => {
  expect(callPrice(row('dall-e-3', { quota_type: 1, model_price: 0.04 }), 0.5)).toBe(0.02)
})

test('offers a model only to the groups that a channel serves', () => {
  expect(isAvailable(row('a'), 'default')).toBe(true)
  expect(isAvailable(row('a'), 'vip')).toBe(false)
})

test('lists GPT models first, then all others by name', () => {
  expect(names(listPrices([row('claude-3'), row('gpt-4'), row('abab'), row('gpt-3.5')], ALL))).toEqual([
    'gpt-3.5',
    'gpt-4',
    'abab',
    'claude-3',
  ])
})

test('sorts by price in both directions', () => {
  const rows = [row('b', { model_ratio: 2 }), row('a', { model_ratio: 1 }), row('c', { model_ratio: 3 })]
  expect(names(listPrices(rows, { ...ALL, sort: 'input' }))).toEqual(['a', 'b', 'c'])
  expect(names(listPrices(rows, { ...ALL, sort: '-output' }))).toEqual(['c', 'b', 'a'])
})

test('filters by name regardless of width and case, by provider and by billing kind', () => {
  const rows = [row('GPT-4o'), row('mj_imagine', { quota_type: 1 }), row('my-ownGroup')]
  expect(names(listPrices(rows, { ...ALL, q: 'ｇｐｔ' }))).toEqual(['GPT-4o'])
  expect(names(listPrices(rows, { ...ALL, kind: 'call' }))).toEqual(['mj_imagine'])
  expect(names(listPrices(rows, { ...ALL, provider: '-' }))).toEqual(['my-ownGroup'])
  expect(countProviders(rows)).toContainEqual({ value: 'Midjourney', count: 1 })
})

test.each([
  ['o1-mini', 'OpenAI'],
  ['anthropic/claude-3-haiku', 'Anthropic'],
  ['qwen-max', 'Alibaba'],
  ['Llama-3-8b', 'Meta'],
  ['something', ''],
])('attributes the model %s to the provider "%s"', (model, provider) => {
  expect(modelProvider(model)).toBe(provider)
})

test.each([
  [8192, '8K'],
  [131_072, '128K'],
  [128_000, '128K'],
  [200_000, '200K'],
  [1_000_000, '1M'],
  [1_048_576, '1M'],
  [1_050_000, '1.05M'],
  [4097, '4.1K'],
])('states a context of %d tokens as %s', (tokens, text) => {
  expect(contextText(tokens)).toBe(text)
})
