import { afterAll, describe, expect, test } from 'bun:test'
import type { Json } from './normalise.ts'
import { longestOutput, openPriceBook, type PriceBook, purchaseCosts, type Quote } from './price-adapter.ts'
import { CONFIGURATIONS, FAMILY_NAMES, READABLE_MODELS } from './price-configurations.ts'
import { openRecording } from './recorded.ts'
import { USAGES } from './usages.ts'

const GROUPS = { one: 1, cheap: 0.7, odd: 1 / 3 }
const HASH_DIGITS = 16
const usages = Object.entries(USAGES)
const costAtDiscount = purchaseCosts({ factor: 0.8, multiplier: 1.2 })

const defaults = openPriceBook({ GroupRatio: GROUPS })
const families = openPriceBook({
  GroupRatio: GROUPS,
  ModelRatio: Object.fromEntries(FAMILY_NAMES.map(name => [name, 1.5])),
})
const recording = openRecording('prices')

afterAll(() => recording.close())

/** All that a model costs, for every group and usage, in a text that a hash is made of. */
function describeModel(book: PriceBook, model: string): Json {
  const groups = Object.keys(GROUPS).map(group => {
    const { figures, isFree, quote } = book.price(model, group)
    return { group, figures, isFree, quotes: usages.map(([, usage]) => quote(usage)) }
  })
  const costs = usages.map(([, usage]) => costAtDiscount(model, usage) ?? null)
  return JSON.parse(
    JSON.stringify({
      groups,
      costs,
      isFree: book.isFreeModel(model),
      longestOutput: longestOutput(model),
    }),
  )
}

const hash = (value: Json): string =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex').slice(0, HASH_DIGITS)

/** Amounts of all groups, the hold and what it affords, and the lines for the first group, as one line of text. */
function describeQuotes([first, ...others]: readonly Quote[]): string {
  if (!first) return ''
  const lines = first.lines.map(({ bucket, tokens, ratio, amount, ...rest }) =>
    [`${bucket} ${tokens} × ${ratio} = ${amount}`, ...Object.values(rest)].join(' '),
  )
  const amounts = [first, ...others].map(({ amount }) => amount).join(' / ')
  const holds = [first, ...others].map(({ hold }) => hold).join(' / ')
  return `${amounts} = ${first.exact}; hold ${holds} for ${first.affordable}; ${lines.join(', ')}`
}

function describeReadably(book: PriceBook, model: string): Json {
  const prices = Object.keys(GROUPS).map(group => book.price(model, group))
  const [first] = prices
  return {
    figures: { ...first?.figures },
    free: book.isFreeModel(model),
    'longest output': longestOutput(model),
    ...Object.fromEntries(
      usages.map(([name, usage]) => [name, describeQuotes(prices.map(price => price.quote(usage)))]),
    ),
  }
}

const priced = defaults.models.filter(defaults.hasPrice)

test('knows the recorded models without a price', () => {
  expect(priced.length).toBeGreaterThan(850)
  recording.check(
    'without a price',
    defaults.models.filter(model => !defaults.hasPrice(model)),
  )
})

test('prices every model with a default price as recorded', () => {
  const hashes = priced.map(model => [model, hash(describeModel(defaults, model))])
  recording.check('hashes', Object.fromEntries(hashes))
})

test('prices names of known families as recorded', () => {
  const hashes = FAMILY_NAMES.map(model => [model, hash(describeModel(families, model))])
  recording.check('families', Object.fromEntries(hashes))
})

test('never charges another amount when it reprices', () => {
  const differing = priced.flatMap(model => {
    const { quote } = defaults.price(model, 'odd')
    return usages
      .filter(([, usage]) => quote(usage).amount !== quote(usage).repriced)
      .map(([name]) => `${model}: ${name}`)
  })
  expect(differing).toEqual([])
})

describe('figures in full', () => {
  test.each(READABLE_MODELS.map(model => [model]))('%s', model => {
    recording.check(model, describeReadably(defaults, model))
  })
})

describe('figures with options of an administrator', () => {
  test.each(Object.entries(CONFIGURATIONS))('%s', (name, { options, models }) => {
    const book = openPriceBook({ GroupRatio: GROUPS, ...options })
    recording.check(name, Object.fromEntries(models.map(model => [model, describeReadably(book, model)])))
  })
})

test.each(['no-such-model', 'gpt-4o'])('finds no price of %s for a group without a ratio', model => {
  expect(() => defaults.price(model, 'no such group')).toThrow('has no ratio')
})

test('finds no price of a model without one', () => {
  expect(() => defaults.price('no-such-model', 'one')).toThrow('neither a price nor a ratio')
})

test('costs a channel with price lists of its own what is recorded', () => {
  const prices = { own: { input: 1, output: 4, cached_input: 0.1 }, 'gpt-5.5': { input: 2, output: 8 } }
  const cost = purchaseCosts({ factor: 0.5, prices, multiplier: 1.5 })
  const costs = ['own', 'gpt-5.5', 'claude-opus-4-8', 'unknown'].map(model => [
    model,
    Object.fromEntries(usages.map(([name, usage]) => [name, cost(model, usage) ?? null])),
  ])
  recording.check('purchase costs', Object.fromEntries(costs))
})
