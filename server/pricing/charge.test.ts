import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { quota } from '../core/money.ts'
import { type ExtraUsage, NO_USAGE, type Usage } from '../core/usage.ts'
import { catalogueModels } from './catalogue.ts'
import { calculateCharge, holdAmount } from './charge.ts'
import { dearestPrice } from './price.ts'
import { createPriceBook } from './price-book.ts'
import type { PriceOptions } from './ratio-rules.ts'

const GROUPS = { default: 1, vip: 0.5 }
const priceOf = (model: string, options: PriceOptions = {}, group = 'default') =>
  createPriceBook({ GroupRatio: GROUPS, ...options }).get({ model, group })
const linesOf = (model: string, usage: Partial<Usage>, group = 'default') =>
  calculateCharge(priceOf(model, {}, group), { ...NO_USAGE, ...usage }).lines

describe('a service tier', () => {
  const tiers = [...catalogueModels].flatMap(([model, { prices }]) =>
    Object.entries(prices.service_tiers ?? {}).map(
      ([tier, { input, output }]) => [model, tier, input, output] as const,
    ),
  )

  test('of every model that has one is charged at its list price', () => {
    expect(new Set(tiers.map(([, tier]) => tier))).toEqual(
      new Set(['batch', 'flex', 'priority', 'fast', 'ultrafast']),
    )
    for (const [model, serviceTier, input = 0, output = 0] of tiers) {
      const kind = catalogueModels.get(model)?.kind
      const [first, second] = linesOf(model, { input: 100, output: 100, serviceTier })
      expect({ model, serviceTier, amount: Number(first?.amount) }).toEqual({
        model,
        serviceTier,
        amount: Number((input * 50).toPrecision(12)),
      })
      expect(first).toMatchObject({ bucket: 'input', tier: serviceTier })
      if (kind === 'chat' && output > 0) expect(Number(second?.amount)).toBeCloseTo(output * 50, 6)
    }
  })

  test('that the provider does not price is charged as the default one', () => {
    expect(linesOf('gpt-5.5', { input: 100, serviceTier: 'unheard-of' })).toEqual(
      linesOf('gpt-5.5', { input: 100 }),
    )
  })

  test('charges fast mode for input, output and both cache writes', () => {
    const usage = { input: 1_000, output: 1_000, cacheWrite: 1_000, cacheWriteHour: 1_000 }
    const lines = linesOf('claude-opus-4-8', { ...usage, serviceTier: 'fast' })
    expect(lines.map(({ bucket, amount, tier }) => [bucket, amount, tier])).toEqual([
      ['input', '5000', 'fast'],
      ['cacheWrite', '6250', 'fast'],
      ['cacheWriteHour', '10000', 'fast'],
      ['output', '25000', 'fast'],
    ])
  })

  test('charges a long prompt at the price that the tier has for it', () => {
    expect(linesOf('gpt-6.1-sol', { input: 272_001, serviceTier: 'ultrafast' })).toEqual([
      {
        bucket: 'input',
        tokens: 272_001,
        ratio: 12,
        amount: '3264012',
        above: 272_000,
        tier: 'ultrafast',
      },
    ])
  })

  test('raises the price of a long prompt as the default tier does where it lists none', () => {
    const [line] = linesOf('gpt-5.5', { input: 272_001, serviceTier: 'priority' })
    expect(line).toMatchObject({ above: 272_000, tier: 'priority', amount: String(272_001 * 12.5) })
  })

  test("multiplies the administrator's own price as the provider multiplies his", () => {
    const price = priceOf('gpt-5.5', { ModelRatio: { 'gpt-5.5': 4 }, CompletionRatio: { 'gpt-5.5': 2 } })
    const usage = { ...NO_USAGE, input: 100, output: 100, serviceTier: 'priority' }
    expect(calculateCharge(price, usage).amount).toBe(quota(100 * 4 * 2.5 + 100 * 4 * 2 * 2.5))
  })
})

describe('a region', () => {
  test('of every model that has one raises all its prices by its factor', () => {
    for (const [model, { prices }] of catalogueModels)
      for (const [region, factor] of Object.entries(prices.regions ?? {})) {
        const usage = { ...NO_USAGE, input: 1_000, output: 3_000, region }
        const price = priceOf(model)
        const plain = calculateCharge(price, { ...usage, region: '' })
        const charge = calculateCharge(price, usage)
        expect(Number(charge.exact)).toBeCloseTo(Number(plain.exact) * factor, 6)
        expect(charge.lines[0]).toMatchObject({ region, ratio: factor })
      }
  })

  test('of another name costs no more', () => {
    expect(linesOf('gpt-5.5', { input: 100, region: 'constructor' })).toEqual(
      linesOf('gpt-5.5', { input: 100 }),
    )
  })
})

describe('searches', () => {
  const searching = [...catalogueModels].filter(([, { prices }]) => prices.search !== undefined)

  test('of every model that has a price for them have a line of their own', () => {
    expect(new Set(searching.map(([, { vendor }]) => vendor))).toEqual(
      new Set(['anthropic', 'google', 'moonshot', 'openai', 'perplexity', 'xai', 'zhipu']),
    )
    for (const [model, { prices }] of searching) {
      if (priceOf(model).model.call) continue
      const { medium = 0, per_prompt = false } = prices.search ?? {}
      const line = linesOf(model, { input: 1, webSearches: 3 }).find(one => one.bucket === 'webSearches')
      const count = per_prompt ? 1 : 3
      expect({ model, line: line && [line.tokens, Number(line.amount)] }).toEqual({
        model,
        line: [count, Number((count * medium * 500_000).toPrecision(12))],
      })
    }
  })

  test('cost what the provider asks for the size of their context', () => {
    const costOf = (searchContext: 'low' | 'high') =>
      linesOf('sonar-pro', { webSearches: 1, searchContext })[0]?.amount
    expect([costOf('low'), costOf('high')]).toEqual(['3000', '7000'])
  })

  test('follow the ratio of the group', () => {
    expect(linesOf('gpt-5.5', { webSearches: 2 }, 'vip')).toEqual([
      { bucket: 'webSearches', tokens: 2, ratio: 0, amount: '5000', each: '2500' },
    ])
  })

  test('are covered by the price of a call, and free for a free model', () => {
    const call = priceOf('gpt-5.5', { ModelPrice: { 'gpt-5.5': 0.01 } })
    expect(calculateCharge(call, { ...NO_USAGE, webSearches: 9 }).amount).toBe(quota(5_000))
    const free = priceOf('gpt-5.5', { ModelRatio: { 'gpt-5.5': 0 } })
    expect(calculateCharge(free, { ...NO_USAGE, input: 9, webSearches: 9 }).amount).toBe(quota(0))
    expect(holdAmount(free, { inputTokens: 9, outputTokens: 9, extras: { webSearches: 9 } })).toBe(quota(0))
  })

  test('have their price at a provider whose model is free, and none in a free group', () => {
    const usage = { ...NO_USAGE, input: 9, webSearches: 2 }
    const price = priceOf('glm-4.5-flash')
    expect(calculateCharge(price, usage).amount).toBe(quota(10_000))
    expect(calculateCharge(price, { ...usage, webSearches: 0 }).amount).toBe(quota(0))
    expect(holdAmount(price, { inputTokens: 9, outputTokens: 9, extras: usage })).toBe(quota(10_000))
    const gift = priceOf('glm-4.5-flash', { GroupRatio: { default: 0 } })
    expect(calculateCharge(gift, usage).amount).toBe(quota(0))
  })
})

describe('tools of the provider', () => {
  test('have a line for each tool with a price, named', () => {
    const toolCalls = { file_search: 2, code_interpreter: 1, mcp: 7 }
    expect(linesOf('gpt-5.5', { toolCalls })).toEqual([
      { bucket: 'toolCalls', name: 'file_search', tokens: 2, ratio: 0, amount: '2500', each: '1250' },
      { bucket: 'toolCalls', name: 'code_interpreter', tokens: 1, ratio: 0, amount: '15000', each: '15000' },
    ])
    expect(linesOf('gemini-2.5-pro', { toolCalls: { maps: 1 } })[0]?.amount).toBe('12500')
    expect(linesOf('grok-4.5', { toolCalls: { attachment_search: 1 } })[0]?.amount).toBe('5000')
  })

  test('that run code are charged by size and minute of their container', () => {
    const costOf = (toolCalls: Record<string, number>) => linesOf('gpt-5.5', { toolCalls })[0]?.amount
    expect(costOf({ container_1g: 20 })).toBe('15000')
    expect(costOf({ container_4g: 20 })).toBe('60000')
    expect(costOf({ container_16g: 20 })).toBe('240000')
    expect(costOf({ container_64g: 20 })).toBe('960000')
    expect(linesOf('gpt-5.5', { toolCalls: { container_64g: 5 } })).toEqual([
      { bucket: 'toolCalls', name: 'container_64g', tokens: 5, ratio: 0, amount: '240000', each: '48000' },
    ])
  })

  test.each([
    ['gemini-3-pro-preview', '7000', '7000'],
    ['gemini-2.5-pro-preview-03-25', '17500', '12500'],
    ['gemini-omni-1.2-flash', '7000', '7000'],
  ])('of Google have the usual price where the sources name none: %s', (model, search, maps) => {
    expect(linesOf(model, { webSearches: 1 })[0]?.amount).toBe(search)
    expect(linesOf(model, { toolCalls: { maps: 1 } })[0]?.amount).toBe(maps)
  })

  test('that make images are charged by size and quality, or the dearest that fits', () => {
    const costOf = (size: string | undefined, quality: string | undefined) =>
      linesOf('gpt-5.5', { toolImages: [{ model: 'gpt-image-1', count: 1, size, quality }] })[0]?.amount
    expect(costOf('1024x1024', 'low')).toBe('5500')
    expect(costOf('1024x1536', 'high')).toBe('125000')
    expect(costOf('auto', 'medium')).toBe('31500')
    expect(costOf(undefined, undefined)).toBe('125000')
  })

  test('that make images with a model without a price are charged like the usual one', () => {
    const toolImages = [{ model: 'gpt-image-unheard-of', count: 2, size: '1024x1024', quality: 'low' }]
    expect(linesOf('gpt-5.5', { toolImages })).toEqual([
      {
        bucket: 'toolImages',
        name: 'gpt-image-unheard-of',
        tokens: 2,
        ratio: 0,
        amount: '11000',
        each: '5500',
      },
    ])
  })

  test('that make images are charged by tokens where the provider counts them, and not by number too', () => {
    const tokens = { input: 100, imageInput: 10, output: 1_000 }
    expect(linesOf('gpt-5.5', { toolImages: [{ model: 'gpt-image-1', count: 2, tokens }] })).toEqual([
      { bucket: 'toolInput', tokens: 100, ratio: 0, amount: '250', name: 'gpt-image-1' },
      { bucket: 'toolImageInput', tokens: 10, ratio: 0, amount: '50', name: 'gpt-image-1' },
      { bucket: 'toolOutput', tokens: 1_000, ratio: 0, amount: '20000', name: 'gpt-image-1' },
    ])
    const more = { ...tokens, cachedInput: 8, cachedImage: 4, textOutput: 2 }
    const lines = linesOf('gpt-5.5', { toolImages: [{ model: 'gpt-image-1.5', count: 2, tokens: more }] })
    expect(lines.map(({ bucket, amount }) => [bucket, amount])).toEqual([
      ['toolInput', '250'],
      ['cachedInput', '5'],
      ['toolImageInput', '40'],
      ['cachedImage', '4'],
      ['output', '10'],
      ['toolOutput', '16000'],
    ])
  })
})

test('charges sound by the second where the provider counts no tokens, and our estimate where it tells nothing', () => {
  expect(linesOf('gpt-transcribe', { input: 200, seconds: 12 })).toEqual([
    { bucket: 'seconds', tokens: 12, ratio: 0, amount: '450', each: '37.5' },
  ])
  expect(linesOf('gpt-transcribe', { input: 200 })[0]?.amount).toBe('450')
})

describe('a hold for any tier, region and tools', () => {
  const chats = [...catalogueModels].filter(
    ([, { kind, prices }]) => kind === 'chat' && prices.input !== undefined,
  )
  const served = fc.record({
    model: fc.constantFrom(...chats.map(([model]) => model)),
    serviceTier: fc.constantFrom(undefined, 'flex', 'priority', 'fast', 'ultrafast'),
    isDowngraded: fc.boolean(),
    region: fc.constantFrom(undefined, 'us', 'eu'),
    input: fc.oneof(fc.nat(9_000), fc.nat(400_000)),
    output: fc.nat(90_000),
    webSearches: fc.nat(9),
    codeRuns: fc.nat(3),
  })

  test('covers the charge, also where the provider serves the default tier instead', () => {
    const run = fc.property(
      served,
      ({ model, serviceTier, isDowngraded, region, input, output, ...tools }) => {
        const price = priceOf(model)
        const extras = { webSearches: tools.webSearches, toolCalls: { code_interpreter: tools.codeRuns } }
        const held = dearestPrice(price, { serviceTier, regions: region ? [region] : [] })
        const amount = holdAmount(held, { inputTokens: input, outputTokens: output, extras })
        const tier = isDowngraded ? undefined : serviceTier
        const usage: Usage = {
          ...NO_USAGE,
          input,
          output,
          ...extras,
          ...(tier && { serviceTier: tier }),
          ...(region && { region }),
        }
        expect(calculateCharge(price, usage).amount).toBeLessThanOrEqual(amount)
      },
    )
    fc.assert(run, { numRuns: 1_000 })
  })
})

describe('what another model used', () => {
  const chargeOf = (otherModels: NonNullable<ExtraUsage['otherModels']>) =>
    calculateCharge(priceOf('gpt-realtime-mini'), { ...NO_USAGE, otherModels })

  test.each([
    ['a minute of whisper-1 by the second', 'whisper-1', { input: 1_000, seconds: 60 }, 3_000],
    [
      'sound of gpt-4o-transcribe by its tokens',
      'gpt-4o-transcribe',
      { audioInput: 1_000, output: 14 },
      (1_000 * 6 + 14 * 10) / 2,
    ],
    ['a model without a price, as the charged one', 'unheard-of', { input: 1_000 }, 300],
  ])('costs %s', (_, model, usage, amount) => {
    expect(Number(chargeOf([{ model, usage }]).amount)).toBe(amount)
  })
})
