import type { FacetOption } from '../../ui/filter/facet-option.ts'
import { useText } from '../../ui/text.ts'
import { countKind, countProviders } from './list-prices.ts'
import { ratioText } from './price-cells.tsx'
import { text } from './text.ts'
import type { Pricing } from './use-pricing.ts'

const OTHERS_FACET = '-'

export interface PriceFacet {
  readonly label: string
  readonly options: readonly FacetOption[]
  /** Empty: all of them. */
  readonly value: string
  /** What an open list marks; the own group counts as no choice, and is marked all the same. */
  readonly marked: string
  readonly onChange: (value: string) => void
}

/** What the prices can be narrowed by, with how many each value leaves, and the group whose prices are shown. */
export function usePriceFacets({ url, all, prices, group, own }: Pricing): readonly PriceFacet[] {
  const t = useText(text)
  const { search, setFilter, set } = url
  return [
    {
      label: t('group'),
      options: Object.entries(prices.data?.ratios ?? {}).map(([value, ratio]) => ({
        value,
        label: `${value} · ${ratioText(ratio)}×`,
      })),
      value: group === own && search.group === '' ? '' : group,
      marked: group,
      onChange: value => set({ group: value }),
    },
    {
      label: t('provider'),
      options: countProviders(all).map(({ value, count }) => ({
        value,
        count,
        label: value === OTHERS_FACET ? t('otherProvider') : value,
      })),
      value: search.provider,
      marked: search.provider,
      onChange: provider => setFilter({ provider }),
    },
    {
      label: t('kind'),
      options: [
        { value: 'tokens', label: t('byTokens'), count: countKind(all, 'tokens') },
        { value: 'call', label: t('byCall'), count: countKind(all, 'call') },
      ],
      value: search.kind,
      marked: search.kind,
      onChange: kind => setFilter({ kind: kind === 'tokens' || kind === 'call' ? kind : '' }),
    },
  ]
}
