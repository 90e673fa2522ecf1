import type { GroupOffers } from '#contract/models.ts'
import { usableGroups } from '#server/accounts/usable-groups.ts'
import { handle, handleResult } from '#server/api/handle.ts'
import { defineFeature } from '#server/feature.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import { type Price, roundRatio } from '#server/pricing/price.ts'
import { createPriceBook, type PriceBook, priceBookOf } from '#server/pricing/price-book.ts'
import { type DefaultRatios, listDefaultRatios, listPricing, type PricingRow } from '../contract.ts'
import { createAvailabilityReader } from './availability.ts'
import { listEnabledAbilities } from './queries.ts'

const createRoutes = (readAvailability: ReturnType<typeof createAvailabilityReader>) => [
  handleResult(listPricing, async ({ reader, settings, caller, language }) => {
    const { values } = settings.current()
    const offers = usableGroups(values, caller.group, language)
    const groups = Object.entries(offers)
    const prices = priceBookOf(values)
    const served = groupsByModel(await listEnabledAbilities(reader), offers)
    const available = await readAvailability(reader)
    return {
      data: [...served].flatMap(([model, enabled]) =>
        toPricingRows(prices, model, enabled).map(row => withAvailability(row, available.get(model))),
      ),
      meta: {
        group_ratio: Object.fromEntries(groups.map(([name, { ratio }]) => [name, ratio])),
        usable_group: Object.fromEntries(groups.map(([name, { desc }]) => [name, desc])),
      },
    }
  }),

  handle(listDefaultRatios, async ({ settings }) => {
    const { values } = settings.current()
    const prices = createPriceBook({ ...values, ...NO_OWN_RATIOS })
    return Object.keys(values.ModelRatio).flatMap(model => toDefaultRatios(prices, model))
  }),
]

const withAvailability = (row: PricingRow, availability: number | undefined): PricingRow =>
  availability === undefined ? row : { ...row, availability }

const NO_OWN_RATIOS = { CompletionRatio: {}, CacheRatio: {}, CreateCacheRatio: {} } as const

/** Groups that the caller may not choose are not named, but their models are. */
function groupsByModel(
  abilities: readonly { readonly model: string; readonly group: string }[],
  offers: GroupOffers,
): ReadonlyMap<string, string[]> {
  const served = new Map<string, string[]>()
  for (const { model, group } of abilities) {
    const groups = served.get(model) ?? []
    served.set(model, Object.hasOwn(offers, group) ? [...groups, group] : groups)
  }
  return served
}

function toDefaultRatios(prices: PriceBook, model: string): DefaultRatios[] {
  const { completion_ratio, cache_ratio, create_cache_ratio } = prices.find(model)?.figures ?? {}
  return completion_ratio === undefined || cache_ratio === undefined || create_cache_ratio === undefined
    ? []
    : [{ model_name: model, completion_ratio, cache_ratio, create_cache_ratio }]
}

/** Models without a price are omitted, because they cannot be called either. */
function toPricingRows(prices: PriceBook, model: string, groups: readonly string[]): PricingRow[] {
  const price = prices.find(model)
  if (!price) return []
  const { model_price = 0, model_ratio = 0, completion_ratio = 0, ...others } = price.figures
  const known = findModel(model)
  const isByCall = model_price >= 0
  return [
    {
      model_name: model,
      ...(known && { model_kind: known.kind, input_modalities: known.input }),
      ...(known?.context_window && { context_window: known.context_window }),
      quota_type: isByCall ? 1 : 0,
      model_ratio,
      model_price: isByCall ? model_price : 0,
      owner_by: '',
      completion_ratio,
      ...others,
      ...readLongPrompts(price, model_ratio),
      enable_groups: [...groups],
    },
  ]
}

function readLongPrompts({ base }: Price, modelRatio: number): Pick<PricingRow, 'long_prompts'> {
  if (base.longPrompts.length === 0) return {}
  return {
    long_prompts: base.longPrompts.map(({ above, costs: { input, output, cachedInput, cacheWrite } }) => ({
      above,
      model_ratio: roundRatio(modelRatio * input.ratio),
      completion_ratio: roundRatio(output.ratio / input.ratio),
      cache_ratio: roundRatio(cachedInput.ratio / input.ratio),
      create_cache_ratio: roundRatio(cacheWrite.ratio / input.ratio),
    })),
  }
}

export const feature = defineFeature({
  start: () => ({ routes: createRoutes(createAvailabilityReader()) }),
})
