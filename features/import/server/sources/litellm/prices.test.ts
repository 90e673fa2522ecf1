import { expect, test } from 'bun:test'
import type { Deployment } from './deployments.ts'
import { findPlace } from './place.ts'
import { pricesOf } from './prices.ts'

const deploy = (
  name: string,
  params: Readonly<Record<string, unknown>>,
  info: Readonly<Record<string, unknown>> = {},
): Deployment => {
  const place = findPlace(params, { info, variable: () => 'key' })
  const model = 'skip' in place ? '' : place.model
  return {
    id: name,
    names: [name],
    targets: new Map([[name, model]]),
    place,
    params,
    info,
    isBlocked: false,
    isServed: true,
  }
}
const prices = (...deployments: readonly Deployment[]) =>
  Object.fromEntries(pricesOf(deployments).map(({ option, member, value }) => [`${option}/${member}`, value]))

const own = { model: 'openai/my-llama', api_base: 'http://gpu:8000/v1' }
const far = { model: 'openai/my-llama', api_base: 'https://far.example/v1' }

test.each([
  ['a price of 0', { ...far, input_cost_per_token: 0, output_cost_per_token: 0 }, { 'ModelRatio/m': 0 }],
  ['a price of 0 as text', { ...far, input_cost_per_token: '0' }, { 'ModelRatio/m': 0 }],
  [
    'all prices by token',
    {
      ...far,
      input_cost_per_token: 0.000002,
      output_cost_per_token: 0.00001,
      cache_read_input_token_cost: 0.0000002,
      cache_creation_input_token_cost: 0.0000025,
    },
    { 'ModelRatio/m': 1, 'CompletionRatio/m': 5, 'CacheRatio/m': 0.1, 'CreateCacheRatio/m': 1.25 },
  ],
  [
    'a price for output alone',
    { ...far, input_cost_per_token: 0, output_cost_per_token: 0.000001 },
    { 'ModelPriceLists/m': { kind: 'chat', prices: { input: 0, output: 1 } } },
  ],
  ['no price at an own server', own, { 'ModelRatio/m': 0 }],
  ['no price elsewhere', far, {}],
])('brings %s', (_, params, expected) => {
  expect(prices(deploy('m', params))).toEqual(expected)
})

test('prices a name without a price like the model behind it, with all that the catalogue knows', () => {
  expect(prices(deploy('fast', { model: 'openai/gpt-5.4' }))).toMatchObject({
    'ModelRatio/fast': 1.25,
    'ModelPriceLists/fast': { kind: 'chat', prices: { input: 2.5 } },
  })
  expect(prices(deploy('gpt-4o', { model: 'azure/of-mine' }))).toEqual({})
})

test('asks where a known name stands for another model', () => {
  const [price] = pricesOf([deploy('gpt-4', { model: 'openai/gpt-4o' })])
  expect(price).toMatchObject({ option: 'ModelRatio', value: 1.25, note: expect.stringContaining('gpt-4o') })
  expect(prices(deploy('gpt-4', { model: 'openai/gpt-4o-2024-08-06' }))).toMatchObject({
    'ModelRatio/gpt-4': 1.25,
    'CompletionRatio/gpt-4': 4,
  })
  const [local] = pricesOf([deploy('gpt-4', { model: 'ollama/llama2' })])
  expect(local).toMatchObject({
    option: 'ModelRatio',
    value: 15,
    note: expect.stringContaining('own server'),
  })
  expect(pricesOf([deploy('gpt-4', { model: 'azure/of-mine', api_base: 'https://a.example' })])).toEqual([])
  expect(
    pricesOf([deploy('gpt-4', { model: 'openai/gpt-4o' }), deploy('gpt-4', { model: 'openai/gpt-4' })]),
  ).toEqual([])
})

test.each([
  ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', {}],
  ['bedrock/converse/anthropic.claude-sonnet-4-5-20250929-v1:0', {}],
  ['vertex_ai/claude-sonnet-4-5@20250929', {}],
  ['azure/of-mine', { base_model: 'azure/gpt-4o' }],
  ['openrouter/openai/gpt-4o', {}],
])('finds the price of %s', (model, info) => {
  const found = prices(deploy('m', { model, api_base: 'https://a.example' }, info))
  expect(Number(found['ModelRatio/m'])).toBeGreaterThan(0)
})

test('takes the highest price of deployments with one name, and never makes a paid one free', () => {
  const dear = deploy('m', { ...far, input_cost_per_token: 0.000004 })
  const cheap = deploy('m', { ...far, input_cost_per_token: 0.000002 })
  expect(prices(cheap, dear)).toEqual({ 'ModelRatio/m': 2 })
  expect(pricesOf([cheap, dear])[0]?.note).toContain('different prices')
  expect(prices(deploy('m', own), deploy('m', far))).toEqual({})
  expect(prices(deploy('m', { ...own, input_cost_per_token: 0 }), deploy('m', far))).toEqual({})
})
