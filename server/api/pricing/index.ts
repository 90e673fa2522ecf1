import { listPricing, type PricingRow } from '#contract/billing/pricing.ts'
import { listEnabledAbilities } from '../../db/channels/abilities.ts'
import { findModel } from '../../ledger/pricing/catalogue.ts'
import { roundRatio } from '../../ledger/pricing/list-price.ts'
import type { Price, PriceTable } from '../../ledger/pricing/price.ts'
import { handleResult } from '../handle.ts'
import { findPrice, toPriceTable } from '../price-figures.ts'
import { usableGroups } from '../usable-groups.ts'

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

function groupsByModel(
  abilities: readonly { readonly model: string; readonly group: string }[],
): ReadonlyMap<string, string[]> {
  const served = new Map<string, string[]>()
  for (const { model, group } of abilities) served.set(model, [...(served.get(model) ?? []), group])
  return served
}

/** Models without a price are omitted, because they cannot be called either. */
function toPricingRows(prices: PriceTable, model: string, groups: readonly string[]): PricingRow[] {
  const price = findPrice(prices, model)
  if (!price) return []
  const { group_ratio: _, model_price = 0, model_ratio = 0, completion_ratio = 0, ...others } = price.figures
  const known = findModel(model)
  const isByCall = model_price >= 0
  return [
    {
      model_name: model,
      ...(known && { model_kind: known.kind, input_modalities: known.input }),
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

function readLongPrompts({ rate }: Price, modelRatio: number): Pick<PricingRow, 'long_prompts'> {
  if (rate.kind === 'call' || rate.longPrompts.length === 0) return {}
  return {
    long_prompts: rate.longPrompts.map(({ above, costs: { input, output, cachedInput } }) => ({
      above,
      model_ratio: roundRatio(modelRatio * input.ratio),
      completion_ratio: roundRatio(output.ratio / input.ratio),
      cache_ratio: roundRatio(cachedInput.ratio / input.ratio),
    })),
  }
}
