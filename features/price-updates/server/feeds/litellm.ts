import { z } from 'zod'
import type { CatalogueModel } from '#contract/catalogue/catalogue.ts'
import { ModelKind } from '#contract/catalogue/model-kinds.ts'
import {
  type ContextTier,
  type PriceList,
  SERVICE_TIERS,
  type TokenPrices,
} from '#contract/catalogue/price-list.ts'
import { omitNullish } from '#server/provider-kit/json.ts'
import { type Facts, findUnknownPrice, numberOf, perMillion, textOf } from './facts.ts'
import firstParty from './first-party.json'

/** LiteLLM's map names a model `provider/model` or `model`, and repeats a model for each size of its pictures. */
const { litellm, litellm_kinds } = firstParty
const PROVIDERS = new Map(
  Object.entries(litellm).map(([provider, [own = '', names = '']]) => [
    provider,
    [own, new RegExp(names)] as const,
  ]),
)
const KINDS: Readonly<Record<string, ModelKind>> = z.record(z.string(), ModelKind).parse(litellm_kinds)

const IMAGE_NAME = /^(?:(low|medium|high|standard|hd)\/)?(\d+)-x-(\d+)\/(.+)$/
const TIER_FIELD = /^input_cost_per_token_above_(\d+)k_tokens$/
/** LiteLLM's suffix of each service tier. */
const TIER_SUFFIXES = {
  batch: '_batches',
  flex: '_flex',
  priority: '_priority',
  ultrafast: '_ultrafast',
} as const
/** LiteLLM says 0 of models that are free and of models whose price it does not know. */
const FREE = /^gemma-|^glm-[\d.]+v?-flash$|^omni-moderation/
/** Google charges 35 dollars for a thousand prompts that searched, and less for a thousand searches of newer models. */
const GOOGLE_DOLLARS_PER_PROMPT = 0.035
/** Shares of the default price that providers publish rounded to a cent. */
const HALF_PRICE = 0.5
const ROUNDING_ERROR_MAX = 0.05

export type Models = Map<string, CatalogueModel>

/** The first-party models of LiteLLM's price map. */
export function readLitellm(map: Readonly<Record<string, Facts>>): Models {
  const models: Models = new Map()
  for (const [key, facts] of Object.entries(map)) {
    const found = readEntry(key, facts, known)
    if (found && !models.has(found.name)) models.set(found.name, found.model)
  }
  addImages(models, map)
  return models
}

/** A first-party model of LiteLLM's price map with its prices of 0. Undefined for other entries. */
export const readLitellmEntry = (
  key: string,
  facts: Facts,
): { name: string; model: CatalogueModel } | undefined => readEntry(key, facts, (_, all) => all)

function readEntry(
  key: string,
  facts: Facts,
  priced: (name: string, facts: Facts) => Facts,
): { name: string; model: CatalogueModel } | undefined {
  const provider = textOf(facts, 'litellm_provider') ?? ''
  const name = bareName(key, provider)
  const [modelProvider, own] = PROVIDERS.get(provider) ?? []
  const kind = KINDS[textOf(facts, 'mode') ?? '']
  if (!modelProvider || !kind || !own?.test(name) || IMAGE_NAME.test(name)) return undefined
  return { name, model: toModel(modelProvider, /^lyria/.test(name) ? 'music' : kind, priced(name, facts)) }
}

const PRICE_FIELD = /(^|_)(cost|price|surcharge|fee)|_multiplier|pricing|_tier|discount/
const TOKEN_FIELDS =
  '(input|output)_cost_per_(audio_|image_)?token|input_cost_per_video_token|output_cost_per_reasoning_token|cache_read_input_(audio_|image_)?token_cost|cache_creation_input_token_cost(_above_1hr)?'
const UNIT_FIELDS =
  '(input|output)_cost_per_image|input_cost_per_(second|character|request|query|audio_per_second)|output_cost_per_second(_\\w+)?|output_cost_per_video_per_second|ocr_cost_per_page'
/** Further services, tiers that a request asks for by name, and other units for what is read: the price of a plain request is known. */
const OTHER_FIELDS =
  'tiered_pricing|search_context_cost_per_query|google_maps_grounding_cost_per_query|\\w+_uplift_multiplier(_\\w+)?|(file_search|vector_store|code_interpreter|computer_use)_\\w+|(input|output)_cost_per_pixel|input_cost_per_token_cache_hit|cache_creation_input_(audio_token_cost|token_cost_above_12hr)(_above_\\d+k_tokens)?|\\w+_(balanced|decisions|batches|flex|priority|ultrafast)|supports_service_tier|service_tiers?'
const KNOWN_FIELD = new RegExp(`^((${TOKEN_FIELDS})(_above_\\d+k_tokens)?|${UNIT_FIELDS}|${OTHER_FIELDS})$`)

/** A price of an entry that is not read. */
export const findUnknownLitellmPrice = (facts: Facts): string | undefined =>
  findUnknownPrice(facts, PRICE_FIELD, KNOWN_FIELD)

/** Without the prices of 0 that mean nothing. */
function known(name: string, facts: Facts): Facts {
  const isFree = !numberOf(facts, 'input_cost_per_token') && !numberOf(facts, 'output_cost_per_token')
  return isFree && !FREE.test(name)
    ? Object.fromEntries(Object.entries(facts).filter(([field]) => !/_cost_per_token/.test(field)))
    : facts
}

const bareName = (key: string, provider: string): string =>
  key.replace(new RegExp(`^${provider}/`), '').replace(/^openai\//, '')

function addImages(models: Models, map: Readonly<Record<string, Facts>>): void {
  for (const [key, facts] of Object.entries(map)) {
    const [, quality, width, height, name = ''] = IMAGE_NAME.exec(key) ?? []
    const model = models.get(name)
    const price = numberOf(facts, 'input_cost_per_image') ?? numberOf(facts, 'output_cost_per_image')
    if (!model || price === undefined || !['openai', 'xai'].includes(textOf(facts, 'litellm_provider') ?? ''))
      continue
    const image = { size: `${width}x${height}`, ...(quality && { quality }), price }
    models.set(name, {
      ...model,
      prices: { ...model.prices, images: [...(model.prices.images ?? []), image] },
    })
  }
}

function toModel(modelProvider: string, kind: ModelKind, facts: Facts): CatalogueModel {
  const context = numberOf(facts, 'max_input_tokens')
  const output = numberOf(facts, 'max_output_tokens')
  const retires = textOf(facts, 'deprecation_date')
  return {
    vendor: modelProvider,
    kind,
    ...(context && { context_window: context }),
    ...(output && { output_limit: output }),
    ...readModalities(kind, facts),
    abilities: readAbilities(facts),
    ...(retires && /^\d{4}-\d\d-\d\d$/.test(retires) && { retires }),
    prices: readPrices(facts),
  }
}

function readModalities(kind: ModelKind, facts: Facts): Pick<CatalogueModel, 'input' | 'output'> {
  const has = (field: string) => facts[field] === true
  const listed = (field: string) => (Array.isArray(facts[field]) ? facts[field] : [])
  const inputs = new Set<unknown>(
    kind === 'transcription' ? ['audio'] : ['text', ...listed('supported_modalities')],
  )
  if (has('supports_vision') || has('supports_image_input')) inputs.add('image')
  if (has('supports_audio_input')) inputs.add('audio')
  if (has('supports_video_input')) inputs.add('video')
  if (has('supports_pdf_input')) inputs.add('pdf')
  const made = { image: 'image', speech: 'audio', music: 'audio', video: 'video', realtime: 'audio' }
  const kindly = Object.hasOwn(made, kind) ? Reflect.get(made, kind) : 'text'
  const outputs = new Set<unknown>([...listed('supported_output_modalities'), kindly])
  if (has('supports_audio_output')) outputs.add('audio')
  const known = ['text', 'image', 'audio', 'video', 'pdf'] as const
  return { input: known.filter(one => inputs.has(one)), output: known.filter(one => outputs.has(one)) }
}

function readAbilities(facts: Facts): CatalogueModel['abilities'] {
  const fields = [
    ['tools', 'supports_function_calling'],
    ['vision', 'supports_vision'],
    ['reasoning', 'supports_reasoning'],
    ['json_schema', 'supports_response_schema'],
    ['web_search', 'supports_web_search'],
    ['caching', 'supports_prompt_caching'],
  ] as const
  return fields.filter(([, field]) => facts[field] === true).map(([ability]) => ability)
}

/** The token prices of a service tier and a length of prompt. `suffix`: as in `input_cost_per_token_above_200k_tokens_flex`. */
function readTokens(facts: Facts, above: string, suffix: string): TokenPrices {
  const end = `${above}${suffix}`
  const read = (field: string) => perMillion(numberOf(facts, `${field}${end}`))
  const hour = perMillion(numberOf(facts, `cache_creation_input_token_cost_above_1hr${end}`))
  return omitNullish({
    input: read('input_cost_per_token'),
    output: read('output_cost_per_token'),
    cached_input: read('cache_read_input_token_cost'),
    // LiteLLM says 0 where the provider has no price of its own for writing.
    cache_write: read('cache_creation_input_token_cost') || undefined,
    cache_write_1h: hour || undefined,
    reasoning: read('output_cost_per_reasoning_token'),
    audio_input: read('input_cost_per_audio_token'),
    cached_audio_input: read('cache_read_input_audio_token_cost'),
    audio_output: read('output_cost_per_audio_token'),
    image_input: read('input_cost_per_image_token'),
    cached_image_input: read('cache_read_input_image_token_cost'),
    image_output: read('output_cost_per_image_token'),
    video_input: read('input_cost_per_video_token'),
  })
}

function readRates(facts: Facts, suffix: string): TokenPrices & { tiers?: ContextTier[] } {
  const base = readTokens(facts, '', suffix)
  const lengths = Object.keys(facts).flatMap(field => TIER_FIELD.exec(field)?.[1] ?? [])
  const tiers = lengths
    .map(Number)
    .toSorted((a, b) => a - b)
    .map(length => ({ above: length * 1_000, ...readTokens(facts, `_above_${length}k_tokens`, suffix) }))
    .filter(tier => Object.keys(tier).length > 1)
  return { ...base, ...(tiers.length > 0 && { tiers }) }
}

/** Alibaba's list: prices by ranges of the prompt's length, the first of which is the base. */
function readRanges(facts: Facts): (TokenPrices & { tiers?: ContextTier[] }) | undefined {
  const ranges = facts.tiered_pricing
  if (!Array.isArray(ranges)) return undefined
  const [base, ...longer] = ranges.map((range: Facts) => ({
    above: Array.isArray(range.range) ? Number(range.range[0]) : 0,
    ...readTokens(range, '', ''),
  }))
  if (!base) return undefined
  const { above: _, ...prices } = base
  return { ...prices, ...(longer.length > 0 && { tiers: longer }) }
}

function readPrices(facts: Facts): PriceList {
  const base = readRanges(facts) ?? readRates(facts, '')
  return {
    ...base,
    ...readServiceTiers(facts, base),
    ...readRegions(facts),
    ...readUnits(facts),
    ...readTools(facts),
  }
}

function readServiceTiers(facts: Facts, base: TokenPrices): Pick<PriceList, 'service_tiers'> {
  const tiers: NonNullable<PriceList['service_tiers']> = {}
  for (const tier of SERVICE_TIERS) {
    if (tier === 'fast') continue
    const rates = readRates(facts, TIER_SUFFIXES[tier])
    if (rates.input === undefined) continue
    tiers[tier] = tier === 'batch' || tier === 'flex' ? unrounded(rates, base) : rates
  }
  const fast = readFactors(facts).fast
  if (fast) tiers.fast = scaled(base, fast)
  return Object.keys(tiers).length > 0 ? { service_tiers: tiers } : {}
}

/** Half of 0.25 is 0.125, which the map rounds to 0.13. */
function unrounded(rates: ReturnType<typeof readRates>, base: TokenPrices): ReturnType<typeof readRates> {
  const half = (base.cached_input ?? 0) * HALF_PRICE
  const isHalf = half > 0 && Math.abs((rates.cached_input ?? 0) - half) / half < ROUNDING_ERROR_MAX
  return isHalf ? { ...rates, cached_input: half } : rates
}

const scaled = (prices: TokenPrices, factor: number): TokenPrices =>
  Object.fromEntries(
    Object.entries(prices)
      .filter(([name]) => name !== 'tiers')
      .map(([name, price]) => [name, Number((Number(price) * factor).toPrecision(12))]),
  )

function readFactors(facts: Facts): Readonly<Record<string, number>> {
  const entry = facts.provider_specific_entry
  return typeof entry === 'object' && entry !== null
    ? Object.fromEntries(Object.entries(entry).filter(([, factor]) => typeof factor === 'number'))
    : {}
}

function readRegions(facts: Facts): Pick<PriceList, 'regions'> {
  const regions = Object.fromEntries(
    ['us', 'eu'].flatMap(region => {
      const factor =
        numberOf(facts, `regional_processing_uplift_multiplier_${region}`) ?? readFactors(facts)[region]
      return factor === undefined ? [] : [[region, factor] as const]
    }),
  )
  return Object.keys(regions).length > 0 ? { regions } : {}
}

function readUnits(facts: Facts): PriceList {
  const resolutions = Object.keys(facts).flatMap(
    field => /^output_cost_per_second_(\w+)$/.exec(field)?.[1] ?? [],
  )
  const seconds = resolutions.map(
    name => [name, numberOf(facts, `output_cost_per_second_${name}`) ?? 0] as const,
  )
  const units = {
    image: numberOf(facts, 'output_cost_per_image') ?? numberOf(facts, 'input_cost_per_image'),
    second_input:
      numberOf(facts, 'input_cost_per_second') ?? numberOf(facts, 'input_cost_per_audio_per_second'),
    second_output:
      numberOf(facts, 'output_cost_per_video_per_second') ?? numberOf(facts, 'output_cost_per_second'),
    characters: perMillion(numberOf(facts, 'input_cost_per_character')),
    page: numberOf(facts, 'ocr_cost_per_page'),
    request: numberOf(facts, 'input_cost_per_request') ?? numberOf(facts, 'input_cost_per_query'),
  }
  return { ...omitNullish(units), ...(seconds.length > 0 && { seconds_output: Object.fromEntries(seconds) }) }
}

function readTools(facts: Facts): Pick<PriceList, 'search' | 'tool_calls'> {
  const search = facts.search_context_cost_per_query
  const maps = numberOf(facts, 'google_maps_grounding_cost_per_query')
  const costOf = (size: string) => Number(Reflect.get(Object(search), `search_context_size_${size}`) ?? 0)
  const isPriced = typeof search === 'object' && search !== null
  return {
    ...(isPriced && {
      search: {
        low: costOf('low'),
        medium: costOf('medium'),
        high: costOf('high'),
        ...(costOf('medium') === GOOGLE_DOLLARS_PER_PROMPT && { per_prompt: true }),
      },
    }),
    ...(maps !== undefined && { tool_calls: { maps } }),
  }
}
