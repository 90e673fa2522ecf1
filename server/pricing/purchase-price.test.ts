import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NO_USAGE, type Usage } from '../core/usage.ts'
import { addUp, calculateCharge } from './charge.ts'
import { createPriceBook } from './price-book.ts'
import { createPurchasePrices } from './purchase-price.ts'

const NANOS_PER_DOLLAR = 1_000_000_000
const MILLION = 1_000_000
const USAGE: Usage = { ...NO_USAGE, input: 1_000, output: 100 }

const LISTED = createPriceBook({ GroupRatio: { default: 1 } })

const dollars = (input: number, output: number): number =>
  ((1_000 * input + 100 * output) / MILLION) * NANOS_PER_DOLLAR

describe('the cost of a request', () => {
  test("is the catalogue's price times the factor", () => {
    expect(createPurchasePrices({ factor: 1 })?.cost('gpt-5.5', USAGE)).toBe(dollars(5, 30))
    expect(createPurchasePrices({ factor: 0.8 })?.cost('gpt-5.5', USAGE)).toBe(dollars(4, 24))
  })

  test('is what the own list says, whatever the factor, for its models', () => {
    const prices = { 'gpt-5.5': { input: 1, output: 2 }, 'mine-1': { request: 0.25 } }
    const purchase = createPurchasePrices({ factor: 0.5, prices })
    expect(purchase?.cost('gpt-5.5', USAGE)).toBe(dollars(1, 2))
    expect(purchase?.cost('mine-1', USAGE)).toBe(NANOS_PER_DOLLAR / 4)
    expect(purchase?.cost('gpt-5.4', USAGE)).toBe(dollars(2.5, 15) / 2)
  })

  test('rises with the multiple that the upstream counts', () => {
    const prices = { 'mine-1': { input: 1, output: 2 } }
    const purchase = createPurchasePrices({ factor: 0.8, prices, multiplier: 2.5 })
    expect(purchase?.cost('mine-1', USAGE)).toBe(dollars(2.5, 5))
    expect(purchase?.cost('gpt-5.5', USAGE)).toBe(dollars(10, 60))
  })

  test('is unknown for a model without a price, and for a channel without terms', () => {
    expect(createPurchasePrices({})).toBeUndefined()
    expect(createPurchasePrices({ multiplier: 2 })).toBeUndefined()
    expect(createPurchasePrices({ factor: 1 })?.cost('nobody-knows', USAGE)).toBeUndefined()
    const purchase = createPurchasePrices({ prices: { 'mine-1': { input: 1 } } })
    expect(purchase?.cost('gpt-5.5', USAGE)).toBeUndefined()
  })

  test('of a call is the price per request or picture of the first name that has one', () => {
    const prices = { 'draw-fast': { image: 0.08 }, draw: { request: 0.03 }, talk: { input: 1 } }
    const purchase = createPurchasePrices({ factor: 0.5, prices, multiplier: 2 })
    expect(purchase?.callCost(['draw-fast', 'draw'])).toBe(160_000_000)
    expect(purchase?.callCost(['draw-slow', 'draw'])).toBe(60_000_000)
    expect(purchase?.callCost(['mj_imagine'])).toBe(100_000_000)
    expect(purchase?.callCost(['talk'])).toBeUndefined()
    expect(createPurchasePrices({ prices })?.callCost(['mj_imagine'])).toBeUndefined()
  })

  test('includes long prompts, service tiers and searches', () => {
    const usage: Usage = { ...USAGE, input: 300_000, serviceTier: 'priority', webSearches: 3 }
    const exact = Number(calculateCharge(LISTED.get({ model: 'gpt-5.4', group: 'default' }), usage).exact)
    expect(createPurchasePrices({ factor: 1 })?.cost('gpt-5.4', usage)).toBe(exact * 2_000)
  })
})

test('the sum without lines is that of the bill, for any usage', () => {
  const tokens = fc.nat({ max: 2_000_000 })
  const arbitrary = fc.record({
    model: fc.constantFrom('gpt-5.4', 'gpt-5.5', 'claude-opus-4-8', 'gemini-3.1-pro-preview', 'gpt-image-1'),
    input: tokens,
    cachedInput: tokens,
    cacheWrite: tokens,
    output: tokens,
    reasoning: tokens,
    audioInput: tokens,
    images: fc.nat({ max: 4 }),
    webSearches: fc.nat({ max: 5 }),
    serviceTier: fc.constantFrom(undefined, 'flex', 'priority'),
    region: fc.constantFrom(undefined, 'us', 'eu'),
  })
  fc.assert(
    fc.property(arbitrary, ({ model, serviceTier, region, ...counts }) => {
      const usage = { ...NO_USAGE, ...counts, ...(serviceTier && { serviceTier }), ...(region && { region }) }
      const price = LISTED.get({ model, group: 'default' })
      const { digits, scale } = addUp(price, usage)
      const [integer = '', fraction = ''] = calculateCharge(price, usage).exact.split('.')
      expect(digits).toBe(BigInt(integer + fraction.padEnd(scale, '0')))
    }),
    { numRuns: 1_000 },
  )
})
