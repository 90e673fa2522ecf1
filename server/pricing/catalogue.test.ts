import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import prices from '#contract/options/default-prices.json'
import { catalogueModels, findFamily, findModel, thinksUnseen } from './catalogue.ts'
import { createPriceBook } from './price-book.ts'

const all = [...catalogueModels]
const CATALOGUE = resolve('contract/catalogue/models.json')

test('has more than 800 models, each once', async () => {
  const names = (await Bun.file(CATALOGUE).text()).match(/^"[^"]+"(?=:\{")/gm) ?? []
  expect(names.length).toBeGreaterThan(800)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toHaveLength(catalogueModels.size)
})

test('raises no price of a long prompt above a price that is missing, and lowers none', () => {
  const wrong = all.flatMap(([name, { prices: list }]) =>
    (list.tiers ?? []).flatMap(({ above: _, ...tier }) =>
      Object.entries(tier)
        .filter(([bucket, price = 0]) => price < Reflect.get(list, bucket) || !Object.hasOwn(list, bucket))
        .map(([bucket]) => `${name} ${bucket}`),
    ),
  )
  expect(wrong).toEqual([])
})

test('lists the prices of long prompts by rising length', () => {
  for (const [name, { prices: list }] of all) {
    const lengths = (list.tiers ?? []).map(({ above }) => above)
    expect({ name, lengths }).toEqual({ name, lengths: [...new Set(lengths)].toSorted((a, b) => a - b) })
  }
})

test('gives no model away whose output has a price', () => {
  const wrong = all.filter(([, { prices: list }]) => list.input === 0 && Math.max(list.output ?? 0, 0) > 0)
  expect(wrong).toEqual([])
})

test('prices no token above a thousand dollars per million', () => {
  const wrong = all.filter(([, { prices: list }]) =>
    [list.input, list.output, list.audio_output, list.image_output].some(price => (price ?? 0) > 1_000),
  )
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('retires no model before its release', () => {
  const wrong = all.filter(([, { released, retires }]) => released && retires && retires <= released)
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('resolves dated names, listed or not, to their model', () => {
  expect(findModel('gpt-5.4-2026-03-05')).toMatchObject({ released: '2026-03-05', prices: { input: 2.5 } })
  expect(findModel('claude-opus-4-8-20290101')).toBe(catalogueModels.get('claude-opus-4-8'))
  expect(findModel('gpt-5.4-of-mine')).toBeUndefined()
  expect(findModel('constructor')).toBeUndefined()
  expect(findFamily('gpt-5.4-of-mine')).toBe(catalogueModels.get('gpt-5.4'))
  expect(findFamily('gpt-9000')).toBeUndefined()
})

test('agrees with the prices that the specification fixes, to the last digit, where both are the same price', () => {
  const different = Object.entries(prices.model_ratio).flatMap(([name, ratio]) => {
    const input = catalogueModels.get(name)?.prices.input
    return input === undefined || Math.abs(input / 2 - ratio) > ratio * 1e-6 || input / 2 === ratio
      ? []
      : [name]
  })
  expect(different).toEqual([])
})

test.each([
  ['gpt-5.5', 128_000],
  ['gpt-4', 8_192],
  ['MiniMax-M2', 131_072],
  ['claude-haiku-4-5', 64_000],
  ['gpt-4o-of-mine', 16_384],
  ['gpt-4o-realtime-preview', 4_096],
  ['unheard-of', 131_072],
])('knows that an answer of %s has at most %d tokens', (model, tokens) => {
  const options = { ModelRatio: { [model]: 1 } }
  expect(createPriceBook(options).find(model)?.outputTokensMax).toBe(tokens)
  const own = createPriceBook({ ...options, ModelOutputLimit: { [model]: 7 } })
  expect(own.find(model)?.outputTokensMax).toBe(7)
})

test.each([
  ['o3-mini-high', true],
  ['gpt-6-astra', true],
  ['gemini-3.8-flash', true],
  ['claude-opus-4-8', false],
  ['gpt-4o', false],
  ['gpt-5-chat-latest', false],
  ['my-reasoner', true],
])('knows whether %s thinks unseen: %p', (model, isUnseen) => {
  expect(thinksUnseen(model)).toBe(isUnseen)
})
