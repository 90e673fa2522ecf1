import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import prices from '#contract/options/default-prices.json'
import { systemOptions } from '#contract/options/system-options.ts'
import { loadProviders } from '#server/compose/modules.ts'
import { NO_USAGE } from '#server/core/usage.ts'
import { catalogueModels, catalogueOrigin, findModel } from '#server/pricing/catalogue.ts'
import { calculateCharge } from '#server/pricing/charge.ts'
import { createPriceBook } from '#server/pricing/price-book.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { optionDefault } from '#server/settings/option-defaults.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

/** Self-hosted models, or providers with negotiated prices, have no list price. */
const WITHOUT_LIST_PRICE = ['Ollama', 'Xinference', 'MokaAI']
/** Current models whose price no source names. */
const UNPRICED = ['labs-leanstral-1-5-1', 'qwen3-30b-a3b']
/** First-party providers of chat models, with the channel type whose dialect the lab speaks for them. */
const PROVIDERS = [
  ['openai', 1],
  ['anthropic', 14],
  ['google', 24],
  ['xai', 1],
  ['deepseek', 1],
  ['mistral', 1],
  ['moonshot', 1],
  ['alibaba', 1],
  ['zhipu', 1],
  ['minimax', 1],
  ['cohere', 1],
  ['perplexity', 1],
] as const
/** What Claude Code, Codex, Gemini CLI, opencode and qwen-code ask for without a choice of their user. */
const AGENT_MODELS = `
  claude-opus-5 claude-opus-4-8 claude-sonnet-5 claude-sonnet-4-6 claude-haiku-4-5 claude-fable-5
  gpt-5.5 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-6-sol gpt-6-luna gpt-6-astra gpt-6.1-sol gpt-6.1-terra
  gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite gemini-3.1-pro-preview gemini-3-flash-preview
  gemini-embedding-001 qwen3-coder-plus qwen3.5-plus qwen3.6-plus text-embedding-v4
`

/** Families of names in the types and examples of the SDKs. */
const MODEL_NAME =
  /'((?:models\/)?(?:gpt|chatgpt|codex-mini|computer-use-preview|o\d|text-embedding|text-moderation|omni-moderation|tts|whisper|dall-e|sora|babbage|davinci|claude-(?:opus|sonnet|haiku|instant|fable|mythos|\d)|gemini|gemma|imagen|veo|lyria)(?:-[\w.]+)*)'/g
/** Why a name of an SDK has no price. */
const WITHOUT_SDK_PRICE: readonly (readonly [reason: string, names: RegExp])[] = [
  [
    'retired by its provider',
    /^(codex-mini-latest|gpt-3\.5-turbo-0301|gpt-4(-32k)?-0314|gemini-2\.0-flash-001)$/,
  ],
  ['retired by its provider', /^imagen-(3\.0-capability|4\.0-(generate|upscale))-(001|preview)$/],
  ['never released', /^gpt-5\.1-mini$/],
  ['makes videos, which are not served', /^(sora|veo)-/],
  [
    'talks in an API that is not served',
    /^(gpt-live-1|lyria-realtime-exp|gemini-(2\.0-flash-live|live-2\.5-flash)-.+)$/,
  ],
]

const figures = (key: 'ModelRatio' | 'ModelPrice' | 'CompletionRatio' | 'CacheRatio' | 'CreateCacheRatio') =>
  systemOptions[key].schema.parse(optionDefault(key))
/** The prices of a new installation. */
const firstPrices = {
  ModelRatio: figures('ModelRatio'),
  ModelPrice: figures('ModelPrice'),
  CompletionRatio: figures('CompletionRatio'),
  CacheRatio: figures('CacheRatio'),
  CreateCacheRatio: figures('CreateCacheRatio'),
  GroupRatio: { default: 1 },
}
const firstBook = createPriceBook(firstPrices)
const currentChats = (provider: string): readonly string[] =>
  [...catalogueModels]
    .filter(([, model]) => model.vendor === provider && model.kind === 'chat')
    .filter(([name, { retires }]) => !UNPRICED.includes(name) && (!retires || retires > catalogueOrigin.made))
    .map(([name]) => name)

const providers = createRegistry(await loadProviders()).all()

test('knows every model that a new channel offers', () => {
  const unknown = providers.flatMap(({ name, models }) =>
    models.filter(model => !findModel(model)).map(model => `${name}: ${model}`),
  )
  expect(unknown).toEqual([])
})

test('has a price for every model that a new channel offers', () => {
  const priced = [firstPrices.ModelRatio, firstPrices.ModelPrice]
  const isPriced = (model: string) => priced.some(figures => Object.hasOwn(figures, model))
  const listed = providers.filter(({ name }) => !WITHOUT_LIST_PRICE.includes(name))
  const unpriced = listed.flatMap(({ name, models }) =>
    models.filter(model => !isPriced(model) && !UNPRICED.includes(model)).map(model => `${name}: ${model}`),
  )
  expect(unpriced).toEqual([])
})

test.each(['openai', '@anthropic-ai/sdk', '@google/genai'])(
  'has a price, or a reason against one, for every model that the types of %s name',
  sdk => {
    const folder = join(import.meta.dir, '../../node_modules', sdk)
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.d.ts'))
      .map(file => readFileSync(join(folder, file), 'utf8'))
    const names = new Set(
      texts.flatMap(text =>
        [...text.matchAll(MODEL_NAME)].map(([, name = '']) => name.replace('models/', '')),
      ),
    )
    expect(names.size).toBeGreaterThan(10)
    const hasReason = (name: string) => WITHOUT_SDK_PRICE.some(([, pattern]) => pattern.test(name))
    const isPriced = (name: string) => firstBook.find(name) !== undefined
    expect([...names].filter(name => !isPriced(name) && !hasReason(name)).sort()).toEqual([])
    expect([...names].filter(name => isPriced(name) && hasReason(name))).toEqual([])
  },
)

test('leaves every figure that the specification fixes', () => {
  expect(firstPrices.ModelRatio).toMatchObject(prices.model_ratio)
  expect(firstPrices.ModelPrice).toMatchObject(prices.model_price)
  expect(firstPrices.CompletionRatio).toMatchObject(prices.completion_ratio)
  expect(firstPrices.CacheRatio).toMatchObject(prices.cache_ratio)
  expect(firstPrices.CreateCacheRatio).toMatchObject(prices.create_cache_ratio)
})

test('replaces no listed price by one of 0', () => {
  expect(firstPrices.ModelRatio['omni-moderation-latest']).toBe(0.1)
})

test('prices the models of agents without a choice of the user', () => {
  const models = AGENT_MODELS.trim().split(/\s+/)
  expect(models).toHaveLength(25)
  const unpriced = models.filter(model => !Object.hasOwn(firstPrices.ModelRatio, model))
  expect(unpriced).toEqual([])
})

describe('the first call to a current model', () => {
  let relay: TestRelay
  let key = ''

  beforeAll(async () => {
    relay = await TestRelay.open({ wallet: 1_000_000_000_000, prices: firstBook })
    key = await relay.addToken()
    for (const [provider, type] of PROVIDERS)
      await relay.addChannel({ type, models: currentChats(provider).join(',') })
  })
  afterAll(() => relay?.close())

  test.each(PROVIDERS)('of %s is charged at its list price', async provider => {
    const models = currentChats(provider)
    expect(models.length).toBeGreaterThan(3)
    const messages = [{ role: 'user', content: 'hi [lab: tokens-700]' }]
    for (const model of models) {
      const response = await relay.request('/v1/chat/completions', key, { model, messages })
      const { usage } = await response.json()
      const row = await relay.db
        .selectFrom('logs')
        .select(['quota', 'prompt_tokens', 'completion_tokens'])
        .where('model_name', '=', model)
        .executeTakeFirst()
      const used = { ...NO_USAGE, input: usage?.prompt_tokens, output: usage?.completion_tokens }
      const charge = calculateCharge(firstBook.get({ model, group: 'default' }), used)
      const isFree = catalogueModels.get(model)?.prices.input === 0
      expect({ model, status: response.status, quota: row?.quota }).toEqual({
        model,
        status: 200,
        quota: Number(charge.amount),
      })
      expect(row?.quota === 0).toBe(isFree)
    }
  })
})
