import { z } from 'zod'
import type { PriceList } from '#contract/catalogue/price-list.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import { toDollars } from '#server/pricing/ratio-rules.ts'
import { isObject, omitNullish } from '#server/provider-kit/json.ts'
import { type Facts, findUnknownPrice } from './facts.ts'
import {
  type FormatReader,
  type FoundRow,
  feedProblem,
  kindOfPrices,
  listEntries,
  unknownPrice,
} from './feed.ts'

/** Prices as ratios, of gateways of this lineage. */

const FIGURES = { names: /ratio|price/ }

/** `/api/pricing`: a list of models, with ratios before those of groups. */
export const pricing: FormatReader = {
  format: 'pricing',
  figures: FIGURES,
  findEntries: document => listEntries(document, item => 'model_name' in item && 'quota_type' in item),
  readEntry: ([, item]) => [toRow(isObject(item) ? { completion_ratio: 1, ...item } : item)],
}

/** `/api/ratio_config`, with which these gateways exchange prices: a map of models for each kind of ratio. */
export const ratioConfig: FormatReader = {
  format: 'ratio_config',
  figures: FIGURES,
  findEntries(document) {
    const maps = mapsOf(document)
    if (!isObject(maps.model_ratio) && !isObject(maps.model_price)) return undefined
    const models = new Set(Object.values(maps).flatMap(map => (isObject(map) ? Object.keys(map) : [])))
    return [...models].map(model => [model, undefined] as const)
  },
  readEntry([model], { document }) {
    const own = Object.entries(mapsOf(document)).flatMap(([name, map]) =>
      isObject(map) && Object.hasOwn(map, model) ? [[name, map[model]] as const] : [],
    )
    const figures = Object.fromEntries(own)
    const isByCall = figures.model_price !== undefined
    const row = toRow({ ...figures, model_name: model, quota_type: isByCall ? 1 : 0 })
    // Its gateway has a rule for the output of such a model, which is not known here.
    const isPartial = row.row?.kind === 'chat' && !isByCall && figures.completion_ratio === undefined
    return [
      isPartial && !findModel(model)
        ? { ...row, problem: row.problem ?? unknownPrice(model, figures, 'completion_ratio') }
        : row,
    ]
  },
}

const mapsOf = (document: unknown): Facts => {
  const { data } = Object(document)
  return isObject(data) ? data : Object(document)
}

const figure = z.number().optional()
const RatioRow = z.looseObject({
  model_name: z.string(),
  quota_type: z.union([z.literal(0), z.literal(1)]),
  model_ratio: figure,
  model_price: figure,
  completion_ratio: figure,
  cache_ratio: figure,
  create_cache_ratio: figure,
  create_cache_ratio_1h: figure,
  long_prompts: z
    .array(
      z.looseObject({
        above: z.number(),
        model_ratio: z.number(),
        completion_ratio: z.number(),
        cache_ratio: figure,
        create_cache_ratio: figure,
      }),
    )
    .optional(),
})

const PRICE_MEMBER = /ratio|price|pricing|billing|expr|cost|tier|discount|multiplier/
/** Pictures and sound keep their relation to text. */
const KNOWN_MEMBER =
  /^(model_ratio|model_price|completion_ratio|cache_ratio|create_cache_ratio(_1h)?|image_ratio|audio_ratio|audio_completion_ratio|long_prompts|pricing_version)$/
const PLACEHOLDER_RATIO = 37.5

function toRow(item: unknown): FoundRow {
  const parsed = RatioRow.safeParse(item)
  const facts: Facts = Object(item)
  const model = String(facts.model_name ?? '')
  if (!parsed.success) return { model, figures: item, row: undefined }
  const prices = readRatios(parsed.data)
  const row = { kind: kindOfPrices(model, prices), prices }
  return { model, figures: item, row, problem: findProblem(model, facts) }
}

function findProblem(model: string, facts: Facts): FoundRow['problem'] {
  const { billing_mode: mode, billing_expr: expression, ...others } = facts
  const isByRatio = mode === 'ratio' || (!mode && !expression)
  const unknown = isByRatio ? findUnknownPrice(others, PRICE_MEMBER, KNOWN_MEMBER) : 'billing_mode'
  if (unknown !== undefined) return unknownPrice(model, facts, unknown)
  const { quota_type, model_ratio } = facts
  const isPlaceholder = quota_type === 0 && model_ratio === PLACEHOLDER_RATIO
  return isPlaceholder && findModel(model)?.prices.input !== toDollars(PLACEHOLDER_RATIO)
    ? feedProblem(model, 'placeholder', 'model_ratio', model_ratio)
    : undefined
}

function readRatios(row: z.infer<typeof RatioRow>): PriceList {
  const { quota_type, model_price, model_ratio = 0, completion_ratio, long_prompts = [] } = row
  if (quota_type === 1) return model_price === undefined ? {} : { request: model_price }
  const dollars = (ratio: number | undefined, at = model_ratio): number | undefined =>
    ratio === undefined ? undefined : toDollars(at, ratio)
  const tiers = long_prompts.map(({ above, model_ratio: at, ...tier }) => ({
    above,
    ...omitNullish({
      input: dollars(1, at),
      output: dollars(tier.completion_ratio, at),
      cached_input: dollars(tier.cache_ratio, at),
      cache_write: dollars(tier.create_cache_ratio, at),
    }),
  }))
  return omitNullish({
    input: dollars(1),
    output: dollars(completion_ratio),
    cached_input: dollars(row.cache_ratio),
    cache_write: dollars(row.create_cache_ratio),
    cache_write_1h: dollars(row.create_cache_ratio_1h),
    tiers: tiers.length > 0 ? tiers : undefined,
  })
}
