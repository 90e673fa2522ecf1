import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CatalogueModel } from '#contract/catalogue/catalogue.ts'
import type { TokenPrices } from '#contract/catalogue/price-list.ts'
import { decimal, formatDecimal, multiply, quota } from '../core/money.ts'
import { NO_USAGE, type Usage } from '../core/usage.ts'
import { catalogueModels } from './catalogue.ts'
import { addUp, calculateCharge, holdAmount } from './charge.ts'
import { atFactor, dearestPrice, isDearerTier } from './price.ts'
import { catalogueRatios, compilePrices, createPriceBook, type PriceBook, priceBookOf } from './price-book.ts'
import type { PriceOptions } from './ratio-rules.ts'

const GROUPS = { default: 1, vip: 0.733 }
const bookOf = (options: PriceOptions): PriceBook => createPriceBook({ GroupRatio: GROUPS, ...options })
const none = bookOf({})
const stored = bookOf(catalogueRatios())
const chats = [...catalogueModels].filter(
  ([, { kind, prices }]) => kind === 'chat' && prices.input !== undefined,
)

/** A decimal as an integer of 10^-18: prices have fewer digits. */
const SCALE = 18
function integer(value: number): bigint {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [units = '', fraction = ''] = mantissa.split('.')
  return BigInt(units + fraction.padEnd(SCALE + Number(exponent), '0').slice(0, SCALE + Number(exponent)))
}

/**
 * Dollars per million × tokens × group × region, in units rounded half up: half a unit for a dollar per million. Searches
 * cost dollars each.
 */
function expectedCharge({ prices: list }: CatalogueModel, usage: Usage, group: number): number {
  const { input, cachedInput, cacheWrite, cacheWriteHour, audioInput, imageInput } = usage
  const prompt = input + cachedInput + cacheWrite + cacheWriteHour + audioInput + imageInput
  const prices = list.service_tiers?.[usage.serviceTier as 'flex'] ?? list
  const tier = prices.tiers?.findLast(({ above }) => prompt > above)
  const at = (name: keyof TokenPrices, instead: bigint): bigint => {
    const [long, short] = [tier?.[name], prices[name]]
    if (long !== undefined) return integer(long)
    if (short === undefined) return instead
    return integer(short)
  }
  const base = at('input', 0n)
  const output = at('output', base)
  const write = at('cache_write', base)
  const sum =
    BigInt(input) * base +
    BigInt(cachedInput) * at('cached_input', base) +
    BigInt(cacheWrite) * write +
    BigInt(cacheWriteHour) * at('cache_write_1h', write) +
    BigInt(usage.output) * output +
    BigInt(usage.reasoning) * at('reasoning', output)
  const factor = integer(list.regions?.[usage.region ?? ''] ?? 1)
  const search = usage.webSearches && list.search ? integer(list.search.medium) : 0n
  const searches = search * BigInt(list.search?.per_prompt ? 1 : (usage.webSearches ?? 0))
  const total = sum * factor + searches * 1_000_000n * 10n ** BigInt(SCALE)
  if (total === 0n) return 0
  const exact = total * integer(group)
  const unit = 2n * 10n ** BigInt(3 * SCALE)
  const rounded = (exact * 2n + unit) / (unit * 2n)
  return Number(rounded > 0n ? rounded : 1n)
}

const tokens = fc.oneof({ weight: 3, arbitrary: fc.nat(3_000) }, fc.nat(400_000))
const usages = fc.record({
  input: tokens,
  cachedInput: tokens,
  cacheWrite: tokens,
  cacheWriteHour: fc.nat(5_000),
  output: tokens,
  reasoning: fc.nat(9_000),
  serviceTier: fc.constantFrom('', 'flex', 'priority', 'fast', 'ultrafast', 'batch'),
  region: fc.constantFrom('', 'us', 'eu'),
  webSearches: fc.nat(5),
})
/** A long prompt's price that the list leaves out rises like that of input. */
const rises = (tier: TokenPrices, base: TokenPrices): boolean =>
  (['cached_input', 'cache_write', 'cache_write_1h', 'reasoning'] as const).some(
    name =>
      base[name] !== undefined &&
      tier[name] === undefined &&
      !(name === 'reasoning' && base.reasoning === base.output),
  )
/** Whether the catalogue alone prices the model, and no rule of its family. */
const isPlain = ([name, { prices }]: (typeof chats)[number]): boolean =>
  prices.output !== undefined &&
  Object.values(prices.service_tiers ?? {}).every(
    tier =>
      !rises(tier, prices) &&
      (tier.tiers === undefined) === (prices.tiers === undefined) &&
      !(tier.tiers ?? []).some(long => rises(long, tier)),
  ) &&
  !(prices.tiers ?? []).some(tier => rises(tier, prices)) &&
  (prices.cache_write_1h !== undefined || !name.includes('claude'))

describe('a charge', () => {
  const plain = chats.filter(isPlain)

  test('equals the catalogue to the unit for 10,000 usages, stored as ratios or not', () => {
    expect(plain.length).toBeGreaterThan(400)
    const run = fc.property(
      fc.constantFrom(...plain),
      usages,
      fc.constantFrom(...Object.entries(GROUPS)),
      fc.constantFrom(none, stored),
      ([model, entry], used, [group, ratio], table) => {
        const usage = { ...NO_USAGE, ...used }
        const price = table.get({ model, group })
        expect(calculateCharge(price, usage).amount).toBe(quota(expectedCharge(entry, usage, ratio)))
      },
    )
    fc.assert(run, { numRuns: 10_000 })
  })

  test('is covered by a hold for as many tokens', () => {
    const run = fc.property(fc.constantFrom(...chats), usages, ([model], used) => {
      const usage = { ...NO_USAGE, ...used }
      const price = none.get({ model, group: 'default' })
      const { input, cachedInput, cacheWrite, cacheWriteHour, output, reasoning } = usage
      const inputTokens = input + cachedInput + cacheWrite + cacheWriteHour
      const { serviceTier, region, webSearches } = used
      const dearest = dearestPrice(price, { serviceTier, regions: [region] })
      const ceiling = { inputTokens, outputTokens: output + reasoning, extras: { webSearches } }
      const held = holdAmount(dearest, ceiling)
      expect(calculateCharge(price, usage).amount).toBeLessThanOrEqual(held)
    })
    fc.assert(run, { numRuns: 2_000 })
  })

  test('of a long prompt pays the higher price for all of it, and names it', () => {
    const price = none.get({ model: 'gpt-5.5', group: 'default' })
    const long = calculateCharge(price, { ...NO_USAGE, input: 272_001, output: 10 })
    expect(long.lines).toEqual([
      { bucket: 'input', tokens: 272_001, ratio: 2, amount: '1360005', above: 272_000 },
      { bucket: 'output', tokens: 10, ratio: 9, amount: '225', above: 272_000 },
    ])
    const short = calculateCharge(price, { ...NO_USAGE, input: 272_000, output: 10 })
    expect(short.lines).toEqual([
      { bucket: 'input', tokens: 272_000, ratio: 1, amount: '680000' },
      { bucket: 'output', tokens: 10, ratio: 6, amount: '150' },
    ])
  })

  test('counts cached tokens into the length of a prompt', () => {
    const price = none.get({ model: 'gpt-5.5', group: 'default' })
    const usage = { ...NO_USAGE, input: 1, cachedInput: 272_000 }
    expect(calculateCharge(price, usage).lines.map(({ amount }) => amount)).toEqual(['5', '136000'])
  })

  test("multiplies the administrator's own price for a long prompt as the provider multiplies his", () => {
    const own = bookOf({ ModelRatio: { 'gpt-5.5': 10 }, CompletionRatio: { 'gpt-5.5': 3 } })
    const price = own.get({ model: 'gpt-5.5', group: 'default' })
    const usage = { ...NO_USAGE, input: 300_000, output: 100 }
    expect(calculateCharge(price, usage).amount).toBe(quota(300_000 * 10 * 2 + 100 * 10 * 3 * 1.5))
  })

  test("assumes no discount on the administrator's own price", () => {
    const own = bookOf({ ModelRatio: { 'gpt-5.5': 10 } })
    const price = own.get({ model: 'gpt-5.5', group: 'default' })
    expect(calculateCharge(price, { ...NO_USAGE, cachedInput: 100 }).amount).toBe(quota(1_000))
  })

  test('of cache writes follows their duration', () => {
    const price = none.get({ model: 'claude-opus-4-8', group: 'default' })
    expect(calculateCharge(price, { ...NO_USAGE, cacheWrite: 100, cacheWriteHour: 100 }).lines).toEqual([
      { bucket: 'cacheWrite', tokens: 100, ratio: 1.25, amount: '312.5' },
      { bucket: 'cacheWriteHour', tokens: 100, ratio: 2, amount: '500' },
    ])
  })
})

describe('a list price', () => {
  test.each(['gpt-5.5', 'claude-opus-4-8', 'imagen-3.0-generate-001'])(
    'of %s gives way to a figure of the administrator',
    model => {
      const own = bookOf({ ModelPrice: { [model]: 0.25 } })
      expect(own.get({ model, group: 'default' }).figures).toEqual({
        model_price: 0.25,
        group_ratio: 1,
      })
      const free = bookOf({ ModelRatio: { [model]: 0 } })
      expect(free.get({ model, group: 'default' }).isFree).toBe(true)
    },
  )

  test('counts for a model whose only figure is a rounded ratio', () => {
    const table = bookOf({
      ModelRatio: { 'gemini-2.5-flash': 0.15 },
      CompletionRatio: { 'gemini-2.5-flash': 8.33333333 },
    })
    const price = table.get({ model: 'gemini-2.5-flash', group: 'default' })
    expect(calculateCharge(price, { ...NO_USAGE, output: 10 }).exact).toBe('12.5')
  })

  test('per picture counts where no tokens are counted', () => {
    const price = none.get({ model: 'gemini-2.5-flash-image', group: 'default' })
    expect(calculateCharge(price, { ...NO_USAGE, images: 2 }).amount).toBe(quota(39_000))
  })

  test('without output does not make output free', () => {
    const price = none.get({ model: 'text-embedding-3-small', group: 'default' })
    expect(calculateCharge(price, { ...NO_USAGE, output: 1_000 }).exact).toBe('10')
  })

  test('of nothing for sound in leaves sound out at its own price', () => {
    const prices = { input: 1, output: 2, audio_input: 0, audio_output: 6 }
    const book = bookOf({ ModelPriceLists: { own: { kind: 'chat', prices } } })
    const price = book.get({ model: 'own', group: 'default' })
    const charge = calculateCharge(price, { ...NO_USAGE, audioInput: 1_000, audioOutput: 1_000 })
    expect(charge.lines.map(({ amount }) => amount)).toEqual(['0', '3000'])
  })

  test('of speech counts characters', () => {
    const price = none.get({ model: 'tts-1', group: 'default' })
    expect(calculateCharge(price, { ...NO_USAGE, input: 1_000 }).amount).toBe(quota(7_500))
  })

  test('of 0 is free, and an unknown model is not', () => {
    expect(none.find('glm-4.7-flash')?.isFree ?? false).toBe(true)
    expect(none.find('gpt-5.5')?.isFree ?? false).toBe(false)
    expect(none.find('unheard-of')?.isFree ?? false).toBe(false)
    expect(bookOf({ ModelRatio: { 'glm-4.7-flash': 1 } }).find('glm-4.7-flash')?.isFree).toBe(false)
  })
})

describe('a price book', () => {
  test('compiles a model once, for all groups and for all that ask for the book of the same options', () => {
    const options = { GroupRatio: GROUPS }
    const book = priceBookOf(options)
    expect(priceBookOf(options)).toBe(book)
    expect(book.find('gpt-5.5')).toBe(book.find('gpt-5.5'))
    expect(book.get({ model: 'gpt-5.5', group: 'vip' }).model).toBe(
      book.get({ model: 'gpt-5.5', group: 'default' }).model,
    )
    expect(priceBookOf({ ...options })).not.toBe(book)
  })

  test('compiles the prices of models ahead of their first request', async () => {
    const compiled: string[] = []
    const book = createPriceBook({ GroupRatio: GROUPS }, model => {
      compiled.push(model)
      return { kind: 'chat', prices: { input: 1, output: 2 } }
    })
    const models = Array.from({ length: 45 }, (_, index) => `model-${index}`)
    await compilePrices(book, models)
    expect(compiled).toEqual(models)
    for (const model of models) book.get({ model, group: 'vip' })
    expect(compiled).toEqual(models)
  })

  test('prices a call under the first name that has a price per call, and otherwise at the usual one', () => {
    const book = bookOf({ ModelPrice: { mj_imagine: 0.05, mj_turbo_imagine: 0.2 } })
    const priceOf = (...names: string[]) =>
      book.getForCall({ names, group: 'default', dollars: 0.1 }).figures.model_price
    expect(priceOf('mj_turbo_imagine', 'mj_imagine')).toBe(0.2)
    expect(priceOf('mj_relax_imagine', 'mj_imagine')).toBe(0.05)
    expect(priceOf('mj_relax_zoom', 'mj_zoom')).toBe(0.1)
    expect(() => book.getForCall({ names: [], group: 'gone', dollars: 0.1 })).toThrow('has no ratio')
  })
})

test('charges a group the price of the model times the factor of the group, to the last digit', () => {
  const factors = fc.double({ min: 0, max: 1_000, noNaN: true })
  const run = fc.property(fc.constantFrom(...chats), usages, factors, ([model], used, factor) => {
    const price = none.find(model)
    if (!price) throw new Error(`${model} has no price`)
    const usage = { ...NO_USAGE, ...used }
    const exact = multiply(addUp(atFactor(price, 1), usage), decimal(factor))
    expect(calculateCharge(atFactor(price, factor), usage).exact).toBe(formatDecimal(exact))
  })
  fc.assert(run, { numRuns: 1_000 })
})

describe('in a free group', () => {
  const free = bookOf({ GroupRatio: { free: 0 } })
  const linesOf = (model: string) => {
    const usage = { ...NO_USAGE, input: 9, webSearches: 1 }
    return calculateCharge(free.get({ model, group: 'free' }), usage).lines.map(({ bucket }) => bucket)
  }

  test('tools cost nothing and have no line', () => {
    expect(linesOf('gpt-5.5')).toEqual(['input'])
  })

  test('tools that a provider sells beside free tokens have a line', () => {
    expect(linesOf('glm-4.5-flash')).toEqual(['input', 'webSearches'])
  })

  test('no tier is dearer than another', () => {
    const at = (group: string, book = none) => isDearerTier(book.get({ model: 'gpt-5.5', group }), 'priority')
    expect(at('default')).toBe(true)
    expect(at('free', free)).toBe(false)
  })
})

describe('the price of a token of an image', () => {
  const costsOf = (model: string, options: PriceOptions = {}, tier?: string) => {
    const price = bookOf(options).find(model)
    const rates = tier === undefined ? price?.base : price?.tiers.get(tier)
    const unitsOf = (bucket: 'output' | 'reasoning' | 'imageOutput') =>
      rates && formatDecimal(rates.costs[bucket].units)
    return { text: unitsOf('output'), thoughts: unitsOf('reasoning'), images: unitsOf('imageOutput') }
  }
  const MODEL = 'gemini-3-pro-image'

  test.each([
    ['is the listed one beside that of text', [MODEL, {}, undefined], ['6', '6', '60']],
    ['rises in a tier as text does', [MODEL, {}, 'priority'], ['10.8', '10.8', '108']],
    ['is the listed one of a tier', [MODEL, {}, 'batch'], ['3', '3', '30']],
    ['is that of all output of a model without text', ['gpt-image-1', {}, undefined], ['20', '20', '20']],
    ['falls in a tier with the input', ['gpt-image-1', {}, 'batch'], ['10', '10', '10']],
    ['is that of output for other models', ['gpt-4o', {}, undefined], ['5', '5', '5']],
    [
      'is the listed one where the options kept it as the price of all output',
      [MODEL, { CompletionRatio: { [MODEL]: 60 } }, undefined],
      ['6', '6', '60'],
    ],
    [
      'is that of output where an administrator set one',
      [MODEL, { CompletionRatio: { [MODEL]: 70 } }, undefined],
      ['70', '70', '70'],
    ],
    [
      'keeps its relation to another input price',
      [MODEL, { ModelRatio: { [MODEL]: 2 } }, undefined],
      ['12', '12', '120'],
    ],
  ] as const)('%s', (_, [model, options, tier], [text, thoughts, images]) => {
    expect(costsOf(model, options, tier)).toEqual({ text, thoughts, images })
  })

  test('is held for, since it is the dearest output', () => {
    const highest = none.find(MODEL)?.base.highest.output
    expect(highest && formatDecimal(highest)).toBe('60')
  })
})
