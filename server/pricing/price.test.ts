import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { add, type Decimal, decimal, formatDecimal, quota, roundToQuota } from '../core/money.ts'
import { completionTokens, NO_USAGE, promptTokens, type Usage } from '../core/usage.ts'
import { testPrices } from '../testing/test-prices.ts'
import { calculateCharge, holdAmount } from './charge.ts'
import type { PriceOptions } from './ratio-rules.ts'

const GROUPS = { default: 1, half: 0.5, free: 0 }
const getPrice = (options: PriceOptions, query: { readonly model: string; readonly group: string }) =>
  testPrices({ GroupRatio: GROUPS, ...options }).get(query)

interface Case {
  readonly name: string
  readonly model: string
  readonly table: PriceOptions
  readonly group?: string
  readonly usage: Partial<Usage>
  readonly amount: number
}

const gpt4o = { ModelRatio: { 'gpt-4o': 1.25 } }

const cases: readonly Case[] = [
  {
    name: 'charges input and output at their ratios',
    model: 'gpt-4o',
    table: gpt4o,
    usage: { input: 1000, output: 500 },
    amount: 3750,
  },
  {
    name: 'charges cached input at its own ratio',
    model: 'gpt-4o',
    table: { ...gpt4o, CacheRatio: { 'gpt-4o': 0.5 } },
    usage: { input: 600, cachedInput: 400, output: 500 },
    amount: 3500,
  },
  {
    name: 'charges reasoning like other output',
    model: 'gpt-4o',
    table: gpt4o,
    usage: { input: 1000, output: 100, reasoning: 400 },
    amount: 3750,
  },
  {
    name: 'rounds more than half a unit up',
    model: 'gpt-4o-mini',
    table: { ModelRatio: { 'gpt-4o-mini': 0.075 } },
    usage: { input: 3, output: 1 },
    amount: 1,
  },
  {
    name: 'applies the ratio of the group',
    model: 'm',
    table: { ModelRatio: { m: 0.25 }, CompletionRatio: { m: 3 } },
    group: 'half',
    usage: { input: 10, output: 2 },
    amount: 2,
  },
  {
    name: 'charges at least one unit for priced usage',
    model: 'm',
    table: { ModelRatio: { m: 0.01 } },
    usage: { input: 1 },
    amount: 1,
  },
  {
    name: 'applies a ratio that is a repeating fraction',
    model: 'gpt-3.5-turbo-16k',
    table: { ModelRatio: { 'gpt-3.5-turbo-16k': 0.75 } },
    usage: { input: 7, output: 3 },
    amount: 8,
  },
  {
    name: 'charges audio input and output at their ratios',
    model: 'gpt-4o-audio-preview',
    table: { ModelRatio: { 'gpt-4o-audio-preview': 1.25 } },
    usage: { input: 100, output: 50, audioInput: 200, audioOutput: 80 },
    amount: 18_375,
  },
  {
    name: 'charges the audio of a realtime model',
    model: 'gpt-4o-realtime-preview-2024-12-17',
    table: { ModelRatio: { 'gpt-4o-realtime-preview-2024-12-17': 2.5 } },
    usage: { input: 100, output: 50, audioInput: 200, audioOutput: 80 },
    amount: 7950,
  },
  {
    name: 'charges cache writes and rounds half a unit up',
    model: 'claude-3-5-sonnet',
    table: { ModelRatio: { 'claude-3-5-sonnet': 1.5 }, CacheRatio: { 'claude-3-5-sonnet': 0.1 } },
    usage: { input: 200, cachedInput: 1000, cacheWrite: 500, output: 300 },
    amount: 3638,
  },
  {
    name: 'charges cache writes for an hour at twice the input price',
    model: 'claude-3-5-sonnet',
    table: { ModelRatio: { 'claude-3-5-sonnet': 1.5 } },
    usage: { cacheWrite: 400, cacheWriteHour: 200 },
    amount: 1350,
  },
  {
    name: 'charges cache writes for an hour in proportion to a configured price for five minutes',
    model: 'claude-3-5-sonnet',
    table: { ModelRatio: { 'claude-3-5-sonnet': 1 }, CreateCacheRatio: { 'claude-3-5-sonnet': 2.5 } },
    usage: { cacheWrite: 100, cacheWriteHour: 100 },
    amount: 650,
  },
  {
    name: 'charges a call price whatever the tokens',
    model: 'm',
    table: { ModelPrice: { m: 0.04 }, ModelRatio: { m: 1 } },
    group: 'half',
    usage: { input: 5000 },
    amount: 10_000,
  },
  {
    name: 'charges a call price for each image, weighted by size and quality',
    model: 'dall-e-3',
    table: { ModelPrice: { 'dall-e-3': 0.04 } },
    usage: { images: 6 },
    amount: 120_000,
  },
  {
    name: 'charges a fraction of a call price for images',
    model: 'dall-e-2',
    table: { ModelPrice: { 'dall-e-2': 0.02 } },
    usage: { images: 1.2 },
    amount: 12_000,
  },
  {
    name: 'charges a quarter of a cent per image at ratio 1 when tokens are priced but not counted',
    model: 'm',
    table: { ModelRatio: { m: 8 } },
    usage: { images: 2 },
    amount: 20_000,
  },
  {
    name: 'charges the tokens of images when they are counted',
    model: 'gpt-image-1',
    table: { ModelRatio: { 'gpt-image-1': 2.5 } },
    usage: { input: 13, imageInput: 100, output: 272, images: 1 },
    amount: 5973,
  },
  { name: 'charges nothing for an empty response', model: 'gpt-4o', table: gpt4o, usage: {}, amount: 0 },
  {
    name: 'charges nothing in a free group',
    model: 'gpt-4o',
    table: gpt4o,
    group: 'free',
    usage: { input: 9 },
    amount: 0,
  },
]

describe('calculateCharge', () => {
  for (const { name, model, table, group = 'default', usage, amount } of cases)
    test(name, () => {
      const price = getPrice(table, { model, group })
      expect(calculateCharge(price, { ...NO_USAGE, ...usage }).amount).toBe(quota(amount))
    })

  test('returns a line with the exact amount for each bucket', () => {
    const table = { ...gpt4o, CacheRatio: { 'gpt-4o': 0.5 } }
    const price = getPrice(table, { model: 'gpt-4o', group: 'default' })
    expect(calculateCharge(price, { ...NO_USAGE, input: 3, cachedInput: 1, output: 2 })).toEqual({
      amount: quota(14),
      exact: '14.375',
      lines: [
        { bucket: 'input', tokens: 3, ratio: 1, amount: '3.75' },
        { bucket: 'cachedInput', tokens: 1, ratio: 0.5, amount: '0.625' },
        { bucket: 'output', tokens: 2, ratio: 4, amount: '10' },
      ],
    })
    expect(price.figures).toEqual({
      model_price: -1,
      model_ratio: 1.25,
      completion_ratio: 4,
      cache_ratio: 0.5,
      create_cache_ratio: 1,
      group_ratio: 1,
    })
  })
})

describe('a price book', () => {
  test('prefers a configured completion ratio to the built-in one', () => {
    const table = { ...gpt4o, CompletionRatio: { 'gpt-4o': 7 } }
    expect(getPrice(table, { model: 'gpt-4o', group: 'default' }).figures.completion_ratio).toBe(7)
  })

  test('rejects a model without a price and names it', () => {
    const find = () => getPrice({}, { model: 'mystery', group: 'default' })
    expect(find).toThrow(expect.objectContaining({ code: 'model_price_missing' }))
    expect(find).toThrow(/mystery/)
  })

  test('finds no price for a model named like an object property', () => {
    const find = () => getPrice({}, { model: 'constructor', group: 'default' })
    expect(find).toThrow(expect.objectContaining({ code: 'model_price_missing' }))
  })

  test('rejects a group without a ratio', () => {
    const find = () => getPrice(gpt4o, { model: 'gpt-4o', group: 'gone' })
    expect(find).toThrow(expect.objectContaining({ code: 'group_not_allowed' }))
  })

  test('applies the price of a gizmo family to its members', () => {
    const table = { ModelRatio: { 'gpt-4o-gizmo-*': 2.5 }, CompletionRatio: { 'gpt-4o-gizmo-*': 3 } }
    const price = getPrice(table, { model: 'gpt-4o-gizmo-g-abc', group: 'default' })
    expect(price.figures).toMatchObject({ model_ratio: 2.5, completion_ratio: 3 })
  })

  test('returns the new price after the table changes', () => {
    const query = { model: 'gpt-4o', group: 'default' }
    expect(getPrice(gpt4o, query).figures.model_ratio).toBe(1.25)
    expect(getPrice({ ModelRatio: { 'gpt-4o': 2 } }, query).figures.model_ratio).toBe(2)
  })
})

const ratio = fc.integer({ min: 0, max: 40_000 }).map(thousandths => thousandths / 1000)
const tokens = fc.nat(2_000_000)
const usages: fc.Arbitrary<Usage> = fc.record({
  input: tokens,
  cachedInput: tokens,
  cacheWrite: tokens,
  cacheWriteHour: tokens,
  audioInput: tokens,
  imageInput: tokens,
  cachedAudio: tokens,
  cachedImage: tokens,
  output: tokens,
  reasoning: tokens,
  audioOutput: tokens,
  imageOutput: tokens,
  images: fc.constant(0),
  webSearches: fc.nat(10),
})
const models = fc.constantFrom('gpt-4o', 'claude-3-opus', 'gpt-4o-audio-preview', 'gpt-3.5-turbo-16k')
const prices = fc
  .record({ model: models, modelRatio: ratio, completion: ratio, cache: ratio, write: ratio, group: ratio })
  .map(({ model, modelRatio, completion, cache, write, group }) =>
    getPrice(
      {
        ModelRatio: { [model]: modelRatio },
        CompletionRatio: { [model]: completion },
        CacheRatio: { [model]: cache },
        CreateCacheRatio: { [model]: write },
        GroupRatio: { default: group },
      },
      { model, group: 'default' },
    ),
  )

describe('for any price and usage', () => {
  test('adds the lines up to the exact amount and rounds it once', () => {
    fc.assert(
      fc.property(prices, usages, (price, usage) => {
        const { lines, exact, amount } = calculateCharge(price, usage)
        const zero: Decimal = decimal(0)
        const sum = lines.reduce((total, line) => add(total, exactly(line.amount)), zero)
        const used = lines.length > 0 && !price.isFree
        expect(roundToQuota(sum)).toBe(roundToQuota(exactly(exact)))
        expect(amount).toBe(quota(Math.max(roundToQuota(sum), used ? 1 : 0)))
      }),
    )
  })

  test('never holds less than the charge for the same tokens', () => {
    fc.assert(
      fc.property(prices, usages, (price, usage) => {
        const held = holdAmount(price, {
          inputTokens: promptTokens(usage),
          outputTokens: completionTokens(usage),
        })
        expect(held).toBeGreaterThanOrEqual(calculateCharge(price, usage).amount)
      }),
    )
  })

  test('never charges less for more tokens', () => {
    fc.assert(
      fc.property(prices, usages, tokens, (price, usage, more) => {
        const larger = { ...usage, output: usage.output + more }
        expect(calculateCharge(price, larger).amount).toBeGreaterThanOrEqual(
          calculateCharge(price, usage).amount,
        )
      }),
    )
  })
})

test('never holds less than the charge for the same images', () => {
  const image = { ModelRatio: { m: 8, 'gpt-image-1': 2.5 }, ModelPrice: { p: 0.04 } }
  for (const model of ['m', 'p', 'gpt-image-1']) {
    const price = getPrice(image, { model, group: 'default' })
    const held = holdAmount(price, { inputTokens: 20, outputTokens: 0, images: 4.5 })
    expect(held).toBeGreaterThanOrEqual(calculateCharge(price, { ...NO_USAGE, images: 4.5 }).amount)
  }
})

test('holds exactly the price of a call', () => {
  const price = getPrice({ ModelPrice: { m: 0.04 } }, { model: 'm', group: 'default' })
  expect(holdAmount(price, { inputTokens: 1, outputTokens: 1_000_000 })).toBe(quota(20_000))
})

/** Reads a decimal text without going through a binary fraction. */
function exactly(text: string): Decimal {
  const [integer = '0', fraction = ''] = text.split('.')
  return { digits: BigInt(integer + fraction), scale: fraction.length }
}

test('formats a decimal without trailing zeros', () => {
  expect(formatDecimal({ digits: 12500n, scale: 1 })).toBe('1250')
  expect(formatDecimal({ digits: 525n, scale: 3 })).toBe('0.525')
  expect(formatDecimal({ digits: -5n, scale: 2 })).toBe('-0.05')
  expect(formatDecimal({ digits: 0n, scale: 4 })).toBe('0')
})

test('formats any number so that it parses back to itself', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
      expect(Number(formatDecimal(decimal(value)))).toBe(value === 0 ? 0 : value)
    }),
  )
})

test('formats every digit of the decimal, however many there are', () => {
  fc.assert(
    fc.property(
      fc.oneof(...[3n, 9n, 15n, 16n, 17n].map(size => fc.bigInt({ min: -(10n ** size), max: 10n ** size }))),
      fc.nat(26),
      (digits, scale) => {
        const text = formatDecimal({ digits, scale })
        const [integer = '', fraction = ''] = text.split('.')
        expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/)
        expect(BigInt(integer + fraction.padEnd(scale, '0'))).toBe(digits)
      },
    ),
    { numRuns: 5000 },
  )
})
