import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { putOptions } from '#contract/options/options.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { listPricing } from '#features/pricing-page/contract.ts'
import { setClock } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import type { Usage } from '#server/core/usage.ts'
import { selectOptions } from '#server/db/system/options.ts'
import { createSafeFetch } from '#server/http-client/safe-fetch.ts'
import { calculateCharge } from '#server/pricing/charge.ts'
import { createPriceBook, priceBookOf } from '#server/pricing/price-book.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import {
  approvePriceUpdates,
  getPriceUpdates,
  listPriceChanges,
  type PriceUpdates,
  pinPriceUpdates,
  readPriceFeed,
  undoPriceChanges,
} from '../contract.ts'
import { applyDuePrices } from './apply.ts'
import { readDailyFeed } from './daily.ts'
import { createPriceFeed } from './fetch-feed.ts'

let app: TestApp
let restoreClock: (() => void) | undefined
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(async () => {
  restoreClock?.()
  restoreClock = undefined
  await app.close()
})

const PER_MILLION = 1e-6

/** LiteLLM's form of a model, with figures in dollars per token. */
const litellm = (entries: Readonly<Record<string, object>>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(entries).map(([name, facts]) => [
        name,
        { litellm_provider: 'openai', mode: 'chat', ...facts },
      ]),
    ),
  )

const GPT = litellm({
  'gpt-4o': { input_cost_per_token: 1.25 * PER_MILLION, output_cost_per_token: 5 * PER_MILLION },
})

async function read(text: string): Promise<PriceUpdates> {
  const response = await app.root.call(readPriceFeed, { body: { text } })
  expect(response).toMatchObject({ success: true })
  return response.data
}

const approve = (revision: string, models: readonly string[], more: object = {}) =>
  app.root.call(approvePriceUpdates, { body: { revision, models: [...models], ...more } })

const USAGE: Usage = {
  input: 123_457,
  cachedInput: 98_765,
  cacheWrite: 4_321,
  cacheWriteHour: 0,
  audioInput: 0,
  imageInput: 0,
  cachedAudio: 0,
  cachedImage: 0,
  output: 34_567,
  reasoning: 0,
  audioOutput: 0,
  imageOutput: 0,
  images: 0,
  webSearches: 0,
}

async function chargeOf(model: string, usage: Usage = USAGE): Promise<number> {
  await app.settings.refresh()
  const book = createPriceBook({ ...app.settings.current().values, GroupRatio: { default: 0.7 } })
  return calculateCharge(book.get({ model, group: 'default' }), usage).amount
}

const storedOptions = () => selectOptions(app.db)

test('keeps every other entry of a list, also one that cannot be read and does not count', async () => {
  const value = '{"gpt-4o":1.25,"mine":3,"bad":-1}'
  await app.db.insertInto('options').values({ key: 'ModelRatio', value }).execute()
  await app.settings.refresh()
  const { revision } = await read(GPT)
  expect(await approve(revision, ['gpt-4o'])).toMatchObject({ success: true })
  const stored = (await storedOptions()).find(({ key }) => key === 'ModelRatio')
  expect(JSON.parse(stored?.value ?? '')).toEqual({ 'gpt-4o': 0.625, mine: 3, bad: -1 })
})

describe('reading a feed', () => {
  test('proposes the differences and changes nothing', async () => {
    const before = await storedOptions()
    const { rows, problems, format, source } = await read(GPT)
    expect({ rows, problems, format, source }).toEqual({
      format: 'litellm',
      source: 'JSON',
      problems: [],
      rows: [
        {
          model: 'gpt-4o',
          status: 'cheaper',
          factor: 0.5,
          is_suspicious: false,
          is_pinned: false,
          is_served: false,
          scheduled_at: 0,
          differences: expect.arrayContaining([
            { line: 'input', from: 2.5, to: 1.25 },
            { line: 'output', from: 10, to: 5 },
          ]),
        },
      ],
    })
    expect(await storedOptions()).toEqual(before)
  })

  test('reads models.dev, OpenRouter, /api/pricing and the catalogue of this gateway', async () => {
    const feeds = {
      models_dev: { openai: { models: { 'gpt-4o': { id: 'gpt-4o', cost: { input: 1.25, output: 5 } } } } },
      openrouter: {
        data: [{ id: 'openai/gpt-4o', pricing: { prompt: '0.00000125', completion: '0.000005' } }],
      },
      pricing: { data: [{ model_name: 'gpt-4o', quota_type: 0, model_ratio: 0.625, completion_ratio: 4 }] },
      ratio_config: { data: { model_ratio: { 'gpt-4o': 0.625 }, completion_ratio: { 'gpt-4o': 4 } } },
      catalogue: {
        made: '2026-11-26',
        sources: [],
        models: {
          'gpt-4o': {
            vendor: 'openai',
            kind: 'chat',
            input: ['text'],
            output: ['text'],
            abilities: [],
            prices: { input: 1.25, output: 5 },
          },
        },
      },
    }
    for (const [format, feed] of Object.entries(feeds)) {
      const found = await read(JSON.stringify(feed))
      expect(found.format).toBe(format)
      expect(found.rows).toMatchObject([{ model: 'gpt-4o', status: 'cheaper', factor: 0.5 }])
    }
  })

  test.each([
    ['context_over_200k', { context_over_200k: { input: 4, output: 18 } }],
    ['tiers', { tiers: [{ input: 4, output: 18, tier: { type: 'context', size: 200_000 } }] }],
  ])('proposes the prices of long prompts in %s of models.dev', async (_, long) => {
    const cost = { input: 2, output: 12, ...long }
    const { rows, problems } = await read(
      JSON.stringify({ google: { models: { 'gemini-new': { id: 'gemini-new', cost } } } }),
    )
    expect(problems).toEqual([])
    expect(rows[0]?.differences).toEqual(
      expect.arrayContaining([
        { line: 'input', to: 2 },
        { line: 'above_200000.input', to: 4 },
        { line: 'above_200000.output', to: 18 },
      ]),
    )
  })

  test("gives an alias of LiteLLM's map the prices of the entry that it names", async () => {
    const { rows, problems } = await read(
      JSON.stringify({
        'gpt-4o': {
          litellm_provider: 'openai',
          mode: 'chat',
          input_cost_per_token: 2.5e-6,
          output_cost_per_token: 1e-5,
        },
        'gpt-new': { alias_of: 'gpt-older' },
        'gpt-older': { alias_of: 'gpt-4o', output_cost_per_token: 2e-5 },
      }),
    )
    expect(problems).toEqual([])
    expect(
      rows.map(({ model, differences }) => [model, differences.find(({ line }) => line === 'output')?.to]),
    ).toEqual(expect.arrayContaining([['gpt-new', 20]]))
  })

  test('keeps the relation of output where an exchange of ratios does not name it', async () => {
    const { rows } = await read(
      JSON.stringify({ model_ratio: { 'gpt-4o': 0.625 }, model_price: { 'my-call': 0.04 } }),
    )
    expect(
      rows.map(({ model, differences }) => [model, differences.map(({ line, to }) => [line, to])]),
    ).toEqual([
      [
        'gpt-4o',
        expect.arrayContaining([
          ['input', 1.25],
          ['output', 5],
        ]),
      ],
      ['my-call', [['request', 0.04]]],
    ])
  })

  test('proposes nothing from its own prices', async () => {
    await app.root.call(createChannels, {
      body: {
        name: 'all',
        type: 1,
        key: 'sk',
        models: 'gpt-4o,gpt-image-1,gpt-4o-audio-preview,gemini-2.5-pro,claude-sonnet-4-5,dall-e-3',
        group: 'default',
      },
    })
    const own = await app.visitor.call(listPricing)
    expect(own.data.length).toBeGreaterThan(5)
    expect(await read(JSON.stringify(own))).toMatchObject({ rows: [], problems: [] })
  })

  test('marks prices of 0 and changes by ten as suspicious', async () => {
    const prices = (input: number) => ({
      input_cost_per_token: input * PER_MILLION,
      output_cost_per_token: 10 * PER_MILLION,
    })
    const { rows } = await read(
      litellm({
        'gpt-4o': { input_cost_per_token: 0, output_cost_per_token: 0 },
        'gpt-4o-2024-08-06': prices(25),
        'gpt-4o-2024-11-20': prices(24.9),
      }),
    )
    expect(rows.map(({ model, is_suspicious }) => [model, is_suspicious])).toEqual([
      ['gpt-4o', true],
      ['gpt-4o-2024-08-06', true],
      ['gpt-4o-2024-11-20', false],
    ])
  })
})

const POISONED: readonly (readonly [title: string, text: string, model: string, reason: string])[] = [
  ['a negative price', litellm({ 'gpt-4o': { input_cost_per_token: -1e-6 } }), 'gpt-4o', 'negative'],
  ['the text NaN', litellm({ 'gpt-4o': { input_cost_per_token: 'NaN' } }), 'gpt-4o', 'not_a_number'],
  ['a price of 10^30', litellm({ 'gpt-4o': { input_cost_per_token: 1e30 } }), 'gpt-4o', 'too_high'],
  [
    'a price beyond all numbers',
    litellm({ 'gpt-4o': { input_cost_per_token: 7 } }).replace(':7', ':1e999'),
    'gpt-4o',
    'too_high',
  ],
  [
    'dollars per million in place of a token',
    litellm({ 'gpt-4o': { input_cost_per_token: 2.5 } }),
    'gpt-4o',
    'too_high',
  ],
  [
    'dollars per token in place of a million',
    JSON.stringify({ openai: { models: { 'gpt-4o': { cost: { input: 2.5e-6, output: 1e-5 } } } } }),
    'gpt-4o',
    'too_low',
  ],
  [
    'an object as a price',
    JSON.stringify({ openai: { models: { 'gpt-4o': { cost: { input: { usd: '2.5' }, output: 1 } } } } }),
    'gpt-4o',
    'not_a_number',
  ],
  [
    'an entry of another shape',
    JSON.stringify({ 'gpt-4o': 3, x: { litellm_provider: 'openai' } }),
    'gpt-4o',
    'shape',
  ],
  [
    'a model twice at different prices',
    JSON.stringify({
      data: [1, 2].map(model_ratio => ({
        model_name: 'gpt-4o',
        quota_type: 0,
        model_ratio,
        completion_ratio: 4,
      })),
    }),
    'gpt-4o',
    'duplicate',
  ],
  [
    'a name that is too long',
    litellm({ ['x'.repeat(300)]: { input_cost_per_token: 1e-6 } }),
    'x'.repeat(80),
    'name_too_long',
  ],
  ['a name in other letters', litellm({ 'GPT-4o': { input_cost_per_token: 1e-6 } }), 'GPT-4o', 'renamed'],
  [
    'a name with a space that is not seen',
    litellm({ 'gpt-4o\u200b': { input_cost_per_token: 1e-6 } }),
    'gpt-4o\u200b',
    'renamed',
  ],
  [
    'a default model under another id',
    JSON.stringify({ openai: { models: { 'gpt-4o': { id: 'gpt-evil', cost: { input: 1, output: 1 } } } } }),
    'gpt-4o',
    'renamed',
  ],
  [
    'the name of an inherited member',
    JSON.stringify({ data: [{ model_name: 'constructor', quota_type: 0, model_ratio: 1 }] }),
    'constructor',
    'name',
  ],
  [
    'a negative ratio',
    JSON.stringify({ data: [{ model_name: 'gpt-4o', quota_type: 0, model_ratio: 1, completion_ratio: -4 }] }),
    'gpt-4o',
    'negative',
  ],
  [
    'an unknown kind of price',
    JSON.stringify({ data: [{ model_name: 'gpt-4o', quota_type: 7, model_ratio: 1 }] }),
    'gpt-4o',
    'shape',
  ],
  [
    'a price in words',
    JSON.stringify({ data: [{ id: 'openai/gpt-4o', pricing: { prompt: 'free', completion: '0.1' } }] }),
    'gpt-4o',
    'not_a_number',
  ],
  [
    'the mark of a router without a price',
    JSON.stringify({ data: [{ id: 'openai/gpt-4o', pricing: { prompt: '-1', completion: '-1' } }] }),
    'gpt-4o',
    'negative',
  ],
  [
    'long prompts that cost less',
    litellm({
      'gpt-4o': {
        input_cost_per_token: 2e-6,
        output_cost_per_token: 8e-6,
        input_cost_per_token_above_200k_tokens: 1e-6,
      },
    }),
    'gpt-4o',
    'tiers',
  ],
  [
    'a search for a thousand dollars',
    litellm({
      'gpt-4o': {
        input_cost_per_token: 2.5e-6,
        output_cost_per_token: 1e-5,
        search_context_cost_per_query: { search_context_size_low: 1000 },
      },
    }),
    'gpt-4o',
    'too_high',
  ],
  [
    'a price with more digits than are kept',
    litellm({ 'gpt-4o': { input_cost_per_token: 0.00000123456789012345 } }),
    'gpt-4o',
    'inexact',
  ],
  [
    'free input with output that costs',
    litellm({ 'gpt-4o': { input_cost_per_token: 0, output_cost_per_token: 1e-5 } }),
    'gpt-4o',
    'inexact',
  ],
  ...[
    { model_name: 'm', quota_type: 0, model_ratio: 37.5, completion_ratio: 1 },
    { model_name: 'm', quota_type: 0, model_ratio: 37.5, completion_ratio: 4 },
  ].map(
    row =>
      [
        'the placeholder of a model without a price',
        JSON.stringify({ data: [row] }),
        'm',
        'placeholder',
      ] as const,
  ),
  [
    'a price by expression',
    JSON.stringify({
      data: [
        {
          model_name: 'm',
          quota_type: 0,
          model_ratio: 1,
          billing_mode: 'tiered_expr',
          billing_expr: 'p * 2',
        },
      ],
    }),
    'm',
    'unknown_price',
  ],
  [
    'an expression that no mode names',
    JSON.stringify({ data: [{ model_name: 'm', quota_type: 0, model_ratio: 1, billing_expr: 'p * 2' }] }),
    'm',
    'unknown_price',
  ],
  [
    'a price by expression among exchanged ratios',
    JSON.stringify({
      data: { model_ratio: { m: 1 }, completion_ratio: { m: 1 }, billing_mode: { m: 'tiered_expr' } },
    }),
    'm',
    'unknown_price',
  ],
  [
    'exchanged ratios without that of output',
    JSON.stringify({ data: { model_ratio: { m: 1 } } }),
    'm',
    'unknown_price',
  ],
  ...['cost_per_session', 'weekend_surcharge', 'fee_per_call'].map(
    name =>
      [
        `${name}, which no entry of LiteLLM has yet`,
        litellm({ 'gpt-9': { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6, [name]: 1 } }),
        'gpt-9',
        'unknown_price',
      ] as const,
  ),
  [
    'a discount that is not known',
    JSON.stringify({ data: [{ model_name: 'm', quota_type: 0, model_ratio: 1, night_discount: 0.5 }] }),
    'm',
    'unknown_price',
  ],
  [
    'a price by the hour at models.dev',
    JSON.stringify({
      openai: { models: { 'gpt-4o': { cost: { input: 1, output: 1, off_peak: { input: 0.5 } } } } },
    }),
    'gpt-4o',
    'unknown_price',
  ],
  [
    'tiers of another type at models.dev',
    JSON.stringify({
      openai: {
        models: {
          'gpt-4o': { cost: { input: 1, output: 1, tiers: [{ input: 2, tier: { type: 'hour', size: 8 } }] } },
        },
      },
    }),
    'gpt-4o',
    'unknown_price',
  ],
  [
    'a price by the hour in the map of LiteLLM',
    litellm({ 'gpt-4o': { input_cost_per_token: 1e-6, off_peak_pricing: { input_cost_per_token: 5e-7 } } }),
    'gpt-4o',
    'unknown_price',
  ],
  [
    'another cost beside tokens',
    litellm({ 'gpt-4o': { input_cost_per_token: 1e-6, citation_cost_per_token: 2e-6 } }),
    'gpt-4o',
    'unknown_price',
  ],
  [
    'overrides of a router',
    JSON.stringify({
      data: [
        {
          id: 'openai/gpt-4o',
          pricing: { prompt: '0.000001', completion: '0.000001', overrides: [{ prompt: '0.1' }] },
        },
      ],
    }),
    'gpt-4o',
    'unknown_price',
  ],
  [
    'an alias of nothing',
    JSON.stringify({ a: { litellm_provider: 'x' }, 'gpt-4o': { alias_of: 'none' } }),
    'gpt-4o',
    'shape',
  ],
  [
    'an alias of itself',
    JSON.stringify({ a: { litellm_provider: 'x' }, 'gpt-4o': { alias_of: 'gpt-4o' } }),
    'gpt-4o',
    'shape',
  ],
  [
    'a version of a model that is not there',
    JSON.stringify({ made: '2026-11-26', models: { 'gpt-4o': { snapshot_of: 'gpt-evil' } } }),
    'gpt-4o',
    'shape',
  ],
]

describe('a poisoned feed', () => {
  test.each(POISONED)(
    'with %s changes nothing and is named with its reason',
    async (_, text, model, reason) => {
      const before = await storedOptions()
      const { problems, rows, revision } = await read(text)
      expect(problems.map(found => [found.model, found.reason])).toEqual([[model, reason]])
      expect(problems[0]?.message.length).toBeGreaterThan(5)
      expect(rows).toEqual([])
      expect(await approve(revision, [model])).toMatchObject({ code: 'price_update.unknown' })
      expect(await storedOptions()).toEqual(before)
    },
  )

  test.each([
    ['no JSON', '<html></html>'],
    ['NaN', '{"gpt-4o": {"litellm_provider": "openai", "input_cost_per_token": NaN}}'],
    ['a list that is nested too deeply', '['.repeat(100_000)],
    ['an object that is nested too deeply', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
    ['a key twice', '{"gpt-4o": {"litellm_provider": "openai"}, "gpt-4o": {"litellm_provider": "openai"}}'],
    ['nothing that is known', '{"hello": "world"}'],
    ['an empty list', '{"data": []}'],
    ['too many models', JSON.stringify({ data: manyModels(10_001) })],
    ['too many members', JSON.stringify({ data: manyModels(10).map(row => ({ ...row, x: manyMembers() })) })],
  ])('that is %s is refused quickly and keeps earlier proposals', async (_, text) => {
    const { revision } = await read(GPT)
    const started = performance.now()
    expect(await app.root.call(readPriceFeed, { body: { text } })).toMatchObject({
      success: false,
      code: 'price_update.unreadable',
    })
    expect(performance.now() - started).toBeLessThan(3000)
    expect((await app.root.call(getPriceUpdates)).data.revision).toBe(revision)
  })
})

function manyModels(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    model_name: `model-${index}`,
    quota_type: 0,
    model_ratio: 1,
  }))
}

function manyMembers() {
  return Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 0]))
}

describe('approval', () => {
  test('sets the price in the options that the price editor writes', async () => {
    const { revision } = await read(GPT)
    expect(await approve(revision, ['gpt-4o'])).toMatchObject({ success: true, data: { count: 1 } })
    await app.settings.refresh()
    const { ModelRatio, CompletionRatio } = app.settings.current().values
    expect([ModelRatio['gpt-4o'], CompletionRatio['gpt-4o']]).toEqual([0.625, 4])
    expect((await app.root.call(getPriceUpdates)).data.rows).toEqual([])
  })

  test("charges the feed's price to the unit, even without an exact ratio", async () => {
    const text = litellm({
      'gpt-4o': {
        input_cost_per_token: 0.3 * PER_MILLION,
        output_cost_per_token: 2.5 * PER_MILLION,
        cache_read_input_token_cost: 0.07 * PER_MILLION,
        cache_creation_input_token_cost: 0.7 * PER_MILLION,
        input_cost_per_token_above_200k_tokens: 0.7 * PER_MILLION,
        output_cost_per_token_above_200k_tokens: 2.9 * PER_MILLION,
      },
    })
    const { revision } = await read(text)
    expect(await approve(revision, ['gpt-4o'], { with_suspicious: true })).toMatchObject({ success: true })
    const short = { ...USAGE, input: 1000 }
    expect(await chargeOf('gpt-4o', short)).toBe(
      Math.round(
        (1000 * 0.3 + USAGE.cachedInput * 0.07 + USAGE.cacheWrite * 0.7 + USAGE.output * 2.5) * 0.35,
      ),
    )
    const long = { ...USAGE, cachedInput: 0, cacheWrite: 0, input: 300_000 }
    expect(await chargeOf('gpt-4o', long)).toBe(Math.round((300_000 * 0.7 + USAGE.output * 2.9) * 0.35))
  })

  test('refuses a suspicious price unless it is confirmed', async () => {
    const { revision } = await read(
      litellm({ 'gpt-4o': { input_cost_per_token: 0, output_cost_per_token: 0 } }),
    )
    expect(await approve(revision, ['gpt-4o'])).toMatchObject({ code: 'price_update.suspicious' })
    expect(await approve(revision, ['gpt-4o'], { with_suspicious: true })).toMatchObject({ success: true })
    expect(await chargeOf('gpt-4o')).toBe(0)
  })

  test('refuses proposals of an earlier reading', async () => {
    const { revision } = await read(GPT)
    await read(GPT)
    expect(await approve(revision, ['gpt-4o'])).toMatchObject({ code: 'price_update.outdated' })
  })

  test('approves all or none', async () => {
    const before = await storedOptions()
    const { revision } = await read(GPT)
    expect(await approve(revision, ['gpt-4o', 'gpt-4'])).toMatchObject({ code: 'price_update.unknown' })
    expect(await storedOptions()).toEqual(before)
  })

  test('keeps a pinned price until it is unpinned', async () => {
    const { revision } = await read(GPT)
    const pin = (is_pinned: boolean) =>
      app.root.call(pinPriceUpdates, { body: { models: ['gpt-4o'], is_pinned } })
    await pin(true)
    expect((await read(GPT)).rows).toMatchObject([{ model: 'gpt-4o', is_pinned: true }])
    const { revision: second } = (await app.root.call(getPriceUpdates)).data
    expect(second).not.toBe(revision)
    expect(await approve(second, ['gpt-4o'])).toMatchObject({ code: 'price_update.pinned' })
    await pin(false)
    expect(await approve(second, ['gpt-4o'])).toMatchObject({ success: true })
  })
})

describe('undo', () => {
  test('restores the charges of all models to the unit', async () => {
    const models = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'my-model']
    const text = JSON.stringify({
      data: models.map((model_name, index) => ({
        model_name,
        quota_type: index === 1 ? 1 : 0,
        model_ratio: 1.37 + index / 7,
        model_price: 0.0123,
        completion_ratio: 3.3,
        cache_ratio: 0.21,
        create_cache_ratio: 1.3,
      })),
    })
    const before = await Promise.all(models.slice(0, 4).map(model => chargeOf(model)))
    const { revision } = await read(text)
    const { data } = await approve(revision, models)
    const during = await Promise.all(models.slice(0, 4).map(model => chargeOf(model)))
    for (const [index, charge] of during.entries()) expect(charge).not.toBe(before[index] ?? 0)
    expect(await app.root.call(undoPriceChanges, { body: { batch: data.batch } })).toMatchObject({
      data: { count: 5 },
    })
    expect(await Promise.all(models.slice(0, 4).map(model => chargeOf(model)))).toEqual(before)
    expect(priceBookOf(app.settings.current().values).find('my-model')).toBeUndefined()
    expect(await app.root.call(undoPriceChanges, { body: { batch: data.batch } })).toMatchObject({
      code: 'price_update.unknown_batch',
    })
  })

  test('does not overwrite a price that was changed since', async () => {
    const first = await approve((await read(GPT)).revision, ['gpt-4o'])
    const dearer = litellm({ 'gpt-4o': { input_cost_per_token: 1.5e-6, output_cost_per_token: 5e-6 } })
    const second = await approve((await read(dearer)).revision, ['gpt-4o'])
    const undo = (batch: string) => app.root.call(undoPriceChanges, { body: { batch } })
    expect(await undo(first.data.batch)).toMatchObject({ code: 'price_update.changed_since' })
    expect(await undo(second.data.batch)).toMatchObject({ success: true })
    expect(await undo(first.data.batch)).toMatchObject({ success: true })
  })

  test('keeps user, time, source, old and new prices', async () => {
    const { data } = await approve((await read(GPT)).revision, ['gpt-4o'])
    await app.root.call(undoPriceChanges, { body: { batch: data.batch } })
    const { items, total } = (await app.root.call(listPriceChanges, { query: { p: 1, page_size: 10 } })).data
    expect(total).toBe(1)
    expect(items).toMatchObject([
      { model: 'gpt-4o', source: 'JSON', status: 'undone', username: 'root', batch: data.batch },
    ])
    expect(items[0]?.differences).toContainEqual({ line: 'input', from: 2.5, to: 1.25 })
  })
})

describe('an effective date', () => {
  test('applies the price when its time has come, once', async () => {
    const before = await chargeOf('gpt-4o')
    const effective_at = Math.floor(Date.now() / 1000) + 3600
    const { revision } = await read(GPT)
    await approve(revision, ['gpt-4o'], { effective_at })
    expect(await applyDuePrices({ ...app, log: noopLogger })).toBe(0)
    expect(await chargeOf('gpt-4o')).toBe(before)
    expect((await app.root.call(getPriceUpdates)).data.rows[0]?.scheduled_at).toBe(effective_at)
    restoreClock = setClock({ nowMs: () => effective_at * 1000, elapsedMs: () => 0 })
    expect(await applyDuePrices({ ...app, log: noopLogger })).toBe(1)
    expect(await applyDuePrices({ ...app, log: noopLogger })).toBe(0)
    expect(await chargeOf('gpt-4o')).toBeLessThan(before)
    const { items } = (await app.root.call(listPriceChanges, { query: { p: 1, page_size: 10 } })).data
    restoreClock()
    const audit = await (await app.root.fetch('/api/audit/?action=scheduled')).json()
    expect(audit.data.items).toMatchObject([
      {
        credential: 'job',
        input: { models: ['gpt-4o'], batches: [items[0]?.batch], approved_by: [app.root.id] },
        before: { ModelRatio: { value: { 'gpt-4o': 1.25 } } },
      },
    ])
    await app.root.call(undoPriceChanges, { body: { batch: items[0]?.batch ?? '' } })
    expect(await chargeOf('gpt-4o')).toBe(before)
  })

  test('is cancelled by an undo before its time', async () => {
    const before = await storedOptions()
    const effective_at = Math.floor(Date.now() / 1000) + 3600
    const { data } = await approve((await read(GPT)).revision, ['gpt-4o'], { effective_at })
    await app.root.call(undoPriceChanges, { body: { batch: data.batch } })
    restoreClock = setClock({ nowMs: () => effective_at * 1000, elapsedMs: () => 0 })
    expect(await applyDuePrices({ ...app, log: noopLogger })).toBe(0)
    expect(await storedOptions()).toEqual(before)
  })
})

/** A byte ten times a second, without an end. */
const trickle = (text: string) =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Bun.sleep(100)
      controller.enqueue(new TextEncoder().encode(text.slice(0, 1)))
    },
  })

describe('an address', () => {
  const fetchFeed = (url: string) => app.root.call(readPriceFeed, { body: { url } })

  test('is fetched', async () => {
    await using server = serve(() => new Response(GPT))
    expect((await fetchFeed(server.url)).data).toMatchObject({
      source: server.url,
      rows: [{ model: 'gpt-4o' }],
    })
  })

  test.each([
    ['the inner network', 'http://192.168.0.1/api.json'],
    ['a redirect into the inner network', 'http://169.254.169.254/latest'],
  ])('of %s is refused', async (title, target) => {
    await using server = serve(() => new Response(null, { status: 302, headers: { location: target } }))
    const response = await fetchFeed(title.startsWith('a redirect') ? server.url : target)
    expect(response).toMatchObject({ success: false, code: 'price_feed.unreachable' })
    expect(response.message).toMatch(/may not fetch|不得访问/)
  })

  test.each([
    ['stalls', () => new Promise<Response>(() => undefined)],
    ['trickles', () => new Response(trickle(GPT))],
  ])('of a feed that %s is given up, at the latest after 20 s', async (_, respond) => {
    await using server = serve(respond)
    const safeFetch = createSafeFetch({ allowed: ['127.0.0.1'] })
    const limitsMs: number[] = []
    const fetchPriceFeed = createPriceFeed(request => {
      limitsMs.push(request.timeoutMs)
      return safeFetch({ ...request, timeoutMs: request.timeoutMs / 40 })
    })
    await expect(fetchPriceFeed(server.url)).rejects.toMatchObject({ code: 'price_feed.unreachable' })
    expect(limitsMs).toEqual([20_000])
  })

  test('of a feed that is too large is refused', async () => {
    await using server = serve(() => new Response('x'.repeat(9 * 1024 * 1024)))
    expect((await fetchFeed(server.url)).message).toMatch(/8 MiB/)
  })
})

test('403: administrators and users neither see nor change proposed prices', async () => {
  const admin = await app.addUser({ username: 'admin', role: 'admin' })
  expect((await admin.call(getPriceUpdates)).success).toBe(false)
  expect((await admin.call(readPriceFeed, { body: { text: GPT } })).success).toBe(false)
})

function serve(respond: () => Response | Promise<Response>) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: respond })
  return {
    url: `http://127.0.0.1:${server.port}/api.json`,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

describe('the daily feed', () => {
  const setFeed = (url: string) =>
    app.root.call(putOptions, {
      body: [
        { key: 'PriceFeedUrl', value: url },
        { key: 'PriceFeedEnabled', value: true },
      ],
    })

  test('is read once a day, changes nothing, and reports each set of differences once', async () => {
    let feed = GPT
    await using server = serve(() => new Response(feed))
    await setFeed(server.url)
    const before = await storedOptions()
    const reported: number[] = []
    const fetchPriceFeed = createPriceFeed(createSafeFetch({ allowed: ['127.0.0.1'] }))
    const notify = (count: number) => void reported.push(count)
    const { db, settings } = app
    const run = () => readDailyFeed({ db, settings, fetchPriceFeed, log: noopLogger, notify })
    const later = (days: number) => {
      restoreClock?.()
      restoreClock = setClock({ nowMs: () => Date.now() + days * 86_400_000, elapsedMs: () => 0 })
    }
    expect([await run(), await run(), reported]).toEqual([true, false, [1]])
    later(1)
    expect([await run(), reported]).toEqual([true, [1]])
    later(2)
    feed = litellm({ 'gpt-4o': { input_cost_per_token: 2e-6, output_cost_per_token: 8e-6 } })
    expect([await run(), reported]).toEqual([true, [1, 1]])
    expect(await storedOptions()).toEqual(before)
    expect((await app.root.call(getPriceUpdates)).data.rows).toMatchObject([{ model: 'gpt-4o', factor: 0.8 }])
  })

  test('is not read while it is off', async () => {
    const never = () => Promise.reject(new Error('nothing is to be fetched'))
    const { db, settings } = app
    const deps = { db, settings, fetchPriceFeed: never, log: noopLogger, notify: () => undefined }
    expect(await readDailyFeed(deps)).toBe(false)
  })
})
