import { listPricing, type PricingRow } from '#contract/billing/pricing.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { GatewayError } from '../../core/errors.ts'
import { listEnabledAbilities } from '../../db/channels/abilities.ts'
import { getPrice, type PriceTable } from '../../ledger/pricing/price.ts'
import { handleResult } from '../handle.ts'
import { usableGroups } from '../usable-groups.ts'

/** A pseudo group of ratio 1: prices are listed before the group ratio is applied. */
const NO_GROUP = ''

export const routes = [
  handleResult(listPricing, async ({ reader, settings, caller, language }) => {
    const { values } = settings.current()
    const groups = Object.entries(usableGroups(values, caller.group, language))
    const prices = toPriceTable(values)
    const served = groupsByModel(await listEnabledAbilities(reader))
    return {
      data: [...served].flatMap(([model, enabled]) => toPricingRows(prices, model, enabled)),
      meta: {
        group_ratio: Object.fromEntries(groups.map(([name, { ratio }]) => [name, ratio])),
        usable_group: Object.fromEntries(groups.map(([name, { desc }]) => [name, desc])),
      },
    }
  }),
]

const toPriceTable = (values: OptionValues): PriceTable => ({
  modelRatio: values.ModelRatio,
  modelPrice: values.ModelPrice,
  completionRatio: values.CompletionRatio,
  cacheRatio: values.CacheRatio,
  createCacheRatio: values.CreateCacheRatio,
  groupRatio: { [NO_GROUP]: 1 },
})

function groupsByModel(
  abilities: readonly { readonly model: string; readonly group: string }[],
): ReadonlyMap<string, string[]> {
  const served = new Map<string, string[]>()
  for (const { model, group } of abilities) served.set(model, [...(served.get(model) ?? []), group])
  return served
}

/** Models without a price are omitted, because they cannot be called either. */
function toPricingRows(prices: PriceTable, model: string, groups: readonly string[]): PricingRow[] {
  const figures = findFigures(prices, model)
  if (!figures) return []
  const { group_ratio: _, model_price = 0, model_ratio = 0, completion_ratio = 0, ...others } = figures
  const isByCall = model_price >= 0
  return [
    {
      model_name: model,
      quota_type: isByCall ? 1 : 0,
      model_ratio,
      model_price: isByCall ? model_price : 0,
      owner_by: '',
      completion_ratio,
      ...others,
      enable_groups: [...groups],
    },
  ]
}

function findFigures(prices: PriceTable, model: string): Readonly<Record<string, number>> | undefined {
  try {
    return getPrice(prices, { model, group: NO_GROUP }).figures
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'model_price_missing') return undefined
    throw error
  }
}
