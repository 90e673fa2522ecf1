import { expect, test } from 'bun:test'
import prices from './default-prices.json'
import lists from './list-prices.json'
import { listedPrices } from './list-prices.ts'
import { priceOptions } from './price-options.ts'

const listed = lists.flatMap(list => Object.keys(list.prices))

test('converts prices per million tokens into ratios', () => {
  const { modelRatio, completionRatio, cacheRatio } = listedPrices
  expect([modelRatio['claude-sonnet-4-5'], completionRatio['claude-sonnet-4-5']]).toEqual([1.5, 5])
  expect([modelRatio['gemini-2.5-flash'], completionRatio['gemini-2.5-flash']]).toEqual([0.15, 8.33333333])
  expect([modelRatio['gpt-5'], completionRatio['gpt-5'], cacheRatio['gpt-5']]).toEqual([0.625, 8, 0.1])
})

test('converts yuan into dollars and omits missing prices', () => {
  expect(listedPrices.modelRatio['hunyuan-pro']).toBe(2.05479452)
  expect(listedPrices.modelRatio['hunyuan-lite']).toBe(0)
  expect(listedPrices.completionRatio).not.toHaveProperty('mistral-embed')
  expect(listedPrices.modelPrice['rerank-v3.5']).toBe(0.002)
})

test('lists each model once, and none with another known price', () => {
  const known = [...Object.keys(prices.model_ratio), ...Object.keys(prices.model_price)]
  expect(listed.filter(model => known.includes(model))).toEqual([])
  expect(listed.filter((model, index) => listed.indexOf(model) !== index)).toEqual([])
})

test('has a default price for every listed model', () => {
  const figuresOf = (option: { initial: string }): object => JSON.parse(option.initial)
  const priced = { ...figuresOf(priceOptions.ModelRatio), ...figuresOf(priceOptions.ModelPrice) }
  expect(listed.filter(model => !(model in priced))).toEqual([])
})
