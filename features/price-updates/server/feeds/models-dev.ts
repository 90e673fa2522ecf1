import { ABILITIES, type CatalogueModel } from '#contract/catalogue/catalogue.ts'
import { MODALITIES, type ModelKind } from '#contract/catalogue/model-kinds.ts'
import type { PriceList } from '#contract/catalogue/price-list.ts'
import { type Facts, numberOf, textOf } from './facts.ts'

/** models.dev groups models by provider, under its own names of the providers. */
export const DEV_PROVIDERS: Readonly<Record<string, readonly [modelProvider: string, own: RegExp]>> = {
  openai: ['openai', /./],
  anthropic: ['anthropic', /./],
  google: ['google', /./],
  xai: ['xai', /./],
  deepseek: ['deepseek', /./],
  mistral: ['mistral', /^(?!zai-)/],
  moonshotai: ['moonshot', /./],
  zai: ['zhipu', /./],
  zhipuai: ['zhipu', /./],
  minimax: ['minimax', /./],
  cohere: ['cohere', /./],
  perplexity: ['perplexity', /./],
  alibaba: ['alibaba', /^(qwen|qwq|qvq)/],
  'alibaba-cn': ['alibaba', /^(qwen|qwq|qvq)/],
  'tencent-tokenhub': ['tencent', /^(hunyuan|hy)/],
  volcengine: ['volcengine', /^doubao/],
}

export interface DevModel {
  readonly released?: string
  /** Absent where models.dev names no price. */
  readonly model?: CatalogueModel
}

/** The first-party models of models.dev, by name. */
export function readModelsDev(providers: Readonly<Record<string, Facts>>): ReadonlyMap<string, DevModel> {
  const found = new Map<string, DevModel>()
  for (const [provider, [modelProvider, own]] of Object.entries(DEV_PROVIDERS)) {
    const models = providers[provider]?.models
    for (const [name, facts] of Object.entries(Object(models)))
      if (own.test(name) && !found.has(name)) found.set(name, readModel(modelProvider, name, Object(facts)))
  }
  return found
}

function readModel(modelProvider: string, name: string, facts: Facts): DevModel {
  const day = textOf(facts, 'release_date') ?? ''
  const released = /^\d{4}-\d\d$/.test(day) ? `${day}-01` : day
  const dated = /^\d{4}-\d\d-\d\d$/.test(released) ? { released } : {}
  const prices = readDevPrices(Object(facts.cost))
  // It says 0 of previews whose price is not known.
  if (!prices.input && !/^glm-[\d.]+v?-flash$/.test(name)) return dated
  const limit: Facts = Object(facts.limit)
  const context = numberOf(limit, 'input') ?? numberOf(limit, 'context')
  const output = numberOf(limit, 'output')
  const modalities: Facts = Object(facts.modalities)
  const model = {
    vendor: modelProvider,
    kind: kindOfDevModel(name, modalities),
    ...(context && { context_window: context }),
    ...(output && { output_limit: output }),
    input: MODALITIES.filter(one => listOf(modalities, 'input').includes(one)),
    output: MODALITIES.filter(one => listOf(modalities, 'output').includes(one)),
    abilities: readAbilities(facts, prices, modalities),
    ...dated,
    prices,
  }
  return { ...dated, model }
}

const listOf = (facts: Facts, field: string): readonly unknown[] => {
  const value = facts[field]
  return Array.isArray(value) ? value : []
}

export function kindOfDevModel(name: string, modalities: Facts): ModelKind {
  const outputs = listOf(modalities, 'output')
  if (/realtime/.test(name)) return 'realtime'
  if (/embed/.test(name)) return 'embeddings'
  if (/asr|transcribe/.test(name)) return 'transcription'
  if (/tts/.test(name)) return 'speech'
  if (outputs.includes('video') && !outputs.includes('text')) return 'video'
  return outputs.includes('image') && !outputs.includes('text') ? 'image' : 'chat'
}

function readAbilities(facts: Facts, prices: PriceList, modalities: Facts): CatalogueModel['abilities'] {
  const has: Readonly<Record<(typeof ABILITIES)[number], boolean>> = {
    tools: facts.tool_call === true,
    vision: listOf(modalities, 'input').includes('image'),
    reasoning: facts.reasoning === true,
    json_schema: facts.structured_output === true,
    web_search: false,
    caching: prices.cached_input !== undefined,
  }
  return ABILITIES.filter(ability => has[ability])
}

function readTokens(cost: Facts): PriceList {
  const prices = {
    input: numberOf(cost, 'input'),
    output: numberOf(cost, 'output'),
    cached_input: numberOf(cost, 'cache_read'),
    cache_write: numberOf(cost, 'cache_write') || undefined,
    reasoning: numberOf(cost, 'reasoning'),
    audio_input: numberOf(cost, 'input_audio'),
    audio_output: numberOf(cost, 'output_audio'),
  }
  return Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined))
}

export function readDevPrices(cost: Facts): PriceList {
  const tiers = listOf(cost, 'tiers').flatMap(tier => {
    const size = numberOf(Object(Object(tier).tier), 'size')
    return size ? [{ above: size, ...readTokens(Object(tier)) }] : []
  })
  return { ...readTokens(cost), ...(tiers.length > 0 && { tiers }) }
}
