import { ABILITIES, type CatalogueModel } from '#contract/catalogue/catalogue.ts'
import { MODALITIES, type ModelKind } from '#contract/catalogue/model-kinds.ts'
import type { PriceList } from '#contract/catalogue/price-list.ts'
import { omitNullish } from '#server/provider-kit/json.ts'
import { type Facts, findUnknownPrice, numberOf, textOf } from './facts.ts'
import firstParty from './first-party.json'

/** models.dev groups models by provider, under its own names of the providers. */
export const DEV_PROVIDERS = Object.entries(firstParty.models_dev).map(
  ([provider, [own = '', names = '']]) => [provider, own, new RegExp(names)] as const,
)

export interface DevModel {
  readonly released?: string
  /** Absent where models.dev names no price. */
  readonly model?: CatalogueModel
}

/** The first-party models of models.dev, by name. */
export function readModelsDev(providers: Readonly<Record<string, Facts>>): ReadonlyMap<string, DevModel> {
  const found = new Map<string, DevModel>()
  for (const [provider, modelProvider, own] of DEV_PROVIDERS) {
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
  return omitNullish({
    input: numberOf(cost, 'input'),
    output: numberOf(cost, 'output'),
    cached_input: numberOf(cost, 'cache_read'),
    cache_write: numberOf(cost, 'cache_write') || undefined,
    reasoning: numberOf(cost, 'reasoning'),
    audio_input: numberOf(cost, 'input_audio'),
    audio_output: numberOf(cost, 'output_audio'),
  })
}

/** Prices of long prompts are a list of lengths, or in older entries one length in the name of a member. */
export function readDevPrices(cost: Facts): PriceList {
  const listed = listOf(cost, 'tiers').flatMap(tier => {
    const size = numberOf(Object(Object(tier).tier), 'size')
    return size ? [{ above: size, ...readTokens(Object(tier)) }] : []
  })
  const named = Object.keys(cost).flatMap(name => {
    const thousands = OVER_LENGTH.exec(name)?.[1]
    return thousands ? [{ above: Number(thousands) * 1_000, ...readTokens(Object(cost[name])) }] : []
  })
  const tiers = listed.length > 0 ? listed : named
  return {
    ...readTokens(cost),
    ...(tiers.length > 0 && { tiers: tiers.toSorted((a, b) => a.above - b.above) }),
  }
}

const OVER_LENGTH = /^context_over_(\d+)k$/
const TOKEN_FIELD = /^(input|output|cache_read|cache_write|reasoning|input_audio|output_audio)$/

/** A member of a cost, or of its prices for long prompts, that is not read. */
export function findUnknownDevPrice(cost: Facts): string | undefined {
  const unknown = findUnknownPrice(
    cost,
    /./,
    new RegExp(`${TOKEN_FIELD.source}|^tiers$|${OVER_LENGTH.source}`),
  )
  if (unknown !== undefined) return unknown
  if (listOf(cost, 'tiers').some(tier => !isLengthTier(Object(tier)))) return 'tiers'
  return Object.keys(cost).find(
    name => OVER_LENGTH.test(name) && findUnknownPrice(Object(cost[name]), /./, TOKEN_FIELD) !== undefined,
  )
}

function isLengthTier({ tier, ...prices }: Facts): boolean {
  const { type = 'context', size } = Object(tier)
  return type === 'context' && Number(size) > 0 && findUnknownPrice(prices, /./, TOKEN_FIELD) === undefined
}
