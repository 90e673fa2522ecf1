import type { CatalogueModel } from '#contract/catalogue/catalogue.ts'
import type { PriceList } from '#contract/catalogue/price-list.ts'
import type { Models } from '#features/price-updates/server/feeds/litellm.ts'

interface Supplement {
  /** The model whose facts it shares, prices aside. */
  readonly like: string
  readonly prices: PriceList
}

const searchAt = (dollars: number): NonNullable<PriceList['search']> => ({
  low: dollars,
  medium: dollars,
  high: dollars,
})
const CLAUDE_SEARCH = searchAt(0.01)
const FABLE: PriceList = {
  ...{ input: 8, output: 40, cached_input: 0.2, cache_write: 10, cache_write_1h: 16 },
  search: CLAUDE_SEARCH,
}
const OPUS_4: PriceList = {
  ...{ input: 15, output: 75, cached_input: 1.5, cache_write: 18.75, cache_write_1h: 30 },
  search: CLAUDE_SEARCH,
}

/** As short as the sources write prices: 0.4 times 6 is 2.4. */
const rounded = (dollars: number): number => Number(dollars.toPrecision(12))

/** Prices of tokens, and how long prompts and tiers multiply them. */
interface FamilyPrices {
  readonly input: number
  readonly cached: number
  readonly output: number
}
const multiplied = ({ input, cached, output }: FamilyPrices, times: number, outputTimes = times) => ({
  input: rounded(input * times),
  output: rounded(output * outputTimes),
  cached_input: rounded(cached * times),
})

/** Source: developers.openai.com/api/docs/pricing */
function gpt6(prices: FamilyPrices): PriceList {
  const at = (times: number, outputTimes = times) => ({
    ...multiplied(prices, times, outputTimes),
    cache_write: rounded(prices.input * 1.25 * times),
  })
  const tier = (times: number) => ({
    ...at(times),
    tiers: [{ above: 272_000, ...at(2 * times, 1.5 * times) }],
  })
  return {
    ...tier(1),
    service_tiers: { batch: tier(0.5), priority: tier(2), ultrafast: tier(6) },
    regions: { us: 1.1, eu: 1.1 },
  }
}

/** Source: ai.google.dev/gemini-api/docs/pricing */
const gemini4 = (prices: FamilyPrices): PriceList => ({
  ...multiplied(prices, 1),
  reasoning: prices.output,
  service_tiers: {
    batch: multiplied(prices, 0.5),
    flex: multiplied(prices, 0.5),
    priority: multiplied(prices, 1.8),
  },
})
/** From December 2026; half of it until then. */
const ARGON = gemini4({ input: 4, cached: 0.2, output: 20 })
const GPT_62_ASTRA = gpt6({ input: 8, cached: 0.4, output: 40 })

/**
 * Models that LiteLLM and models.dev lack, with the prices of genai-prices 0.2.3 or of the provider's page. Remove those that
 * the sources have caught up with: the sources win.
 */
const SUPPLEMENTS: Readonly<Record<string, Supplement>> = {
  'claude-fable-5-2': { like: 'claude-fable-5-1', prices: FABLE },
  'claude-mythos-5-2': { like: 'claude-mythos-5-1', prices: FABLE },
  'claude-opus-4-1': { like: 'claude-opus-4-1-20250805', prices: OPUS_4 },
  'claude-opus-4-0': { like: 'claude-opus-4-20250514', prices: OPUS_4 },
  'claude-sonnet-4-0': {
    like: 'claude-sonnet-4-20250514',
    prices: {
      ...{ input: 3, output: 15, cached_input: 0.3, cache_write: 3.75, cache_write_1h: 6 },
      search: CLAUDE_SEARCH,
    },
  },
  'gemini-4-carbon': { like: 'gemini-4-argon', prices: ARGON },
  'gemini-4-neon': { like: 'gemini-4-argon', prices: gemini4({ input: 3, cached: 0.15, output: 15 }) },
  'gpt-4o-mini-audio-preview': {
    like: 'gpt-4o-mini-audio-preview-2024-12-17',
    prices: { input: 0.15, output: 0.6, audio_input: 10, audio_output: 20 },
  },
  'gpt-6.2-astra': { like: 'gpt-6-astra', prices: GPT_62_ASTRA },
  'gpt-6.2-astra-law': { like: 'gpt-6-astra', prices: GPT_62_ASTRA },
  'gpt-6.2-sol': { like: 'gpt-6.1-sol', prices: gpt6({ input: 2, cached: 0.1, output: 10 }) },
  'MiniMax-M3.1-Flash': { like: 'MiniMax-M3', prices: { input: 0.15, output: 0.6, cached_input: 0.015 } },
  'MiniMax-M2.1-highspeed': {
    like: 'MiniMax-M2.1',
    prices: { input: 0.6, output: 2.4, cached_input: 0.03, cache_write: 0.375 },
  },
}

/** Adds the models that the sources lack. Throws when one is like a model that is gone. */
export function addSupplements(models: Models): void {
  for (const [name, { like, prices }] of Object.entries(SUPPLEMENTS)) {
    const model = models.get(like)
    if (!model) throw new Error(`${name} is like ${like}, which the sources no longer have`)
    if (!models.has(name)) models.set(name, { ...withoutDates(model), prices })
  }
}

const withoutDates = ({ released: _, retires: __, ...facts }: CatalogueModel): CatalogueModel => facts

/** LiteLLM gives the price of text for sound; the figures are OpenAI's, as genai-prices has them. */
const SOUND_PRICES: readonly (readonly [models: RegExp, dollars: number])[] = [
  [/^gpt-4o-transcribe/, 6],
  [/^gpt-4o-mini-transcribe/, 3],
]

/** Corrects prices that the sources have wrong. */
export function correctPrices(models: Models): void {
  for (const [name, model] of models) {
    const dollars = SOUND_PRICES.find(([pattern]) => pattern.test(name))?.[1]
    if (dollars !== undefined)
      models.set(name, { ...model, prices: { ...model.prices, audio_input: dollars } })
  }
  const argon = models.get('gemini-4-argon')
  if (argon) models.set('gemini-4-argon', { ...argon, prices: { ...argon.prices, ...ARGON } })
}

/** What providers ask for the tools that they run, from their pages of prices; the sources do not have it by model. */
const TOOL_PRICES: Readonly<Record<string, Pick<PriceList, 'search' | 'tool_calls'>>> = {
  anthropic: { search: CLAUDE_SEARCH },
  moonshot: { search: searchAt(0.005) },
  openai: { search: searchAt(0.01), tool_calls: { code_interpreter: 0.03, file_search: 0.0025 } },
  xai: {
    search: searchAt(0.005),
    tool_calls: { code_interpreter: 0.005, file_search: 0.0025, attachment_search: 0.01, live_search: 0.025 },
  },
  zhipu: { search: searchAt(0.01) },
}

/** Google's older models charge a prompt once, however often it searched. Source: ai.google.dev/gemini-api/docs/pricing */
const GEMINI_TOOLS: readonly (readonly [models: RegExp, prices: Pick<PriceList, 'search' | 'tool_calls'>])[] =
  [
    [/^gemini-[12]/, { search: { ...searchAt(0.035), per_prompt: true }, tool_calls: { maps: 0.025 } }],
    [/^gemini-/, { search: searchAt(0.014), tool_calls: { maps: 0.014 } }],
  ]

/** Adds the prices of tools to the chat models of their provider. */
export function addToolPrices(models: Models): void {
  for (const [name, model] of models) {
    const tools = TOOL_PRICES[model.vendor] ?? GEMINI_TOOLS.find(([pattern]) => pattern.test(name))?.[1]
    if (tools && model.kind === 'chat')
      models.set(name, { ...model, prices: { ...model.prices, ...tools, ...model.prices } })
  }
}
