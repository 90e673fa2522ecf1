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

/**
 * Models that LiteLLM and models.dev lack, with the prices of genai-prices 0.2.3. Remove those that the sources have
 * caught up with: the sources win.
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
