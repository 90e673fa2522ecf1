import { classes } from '../../ui/classes.ts'
import { Facet } from '../../ui/filter/facet.tsx'
import { FilterBar } from '../../ui/filter/filter-bar.tsx'
import { SearchBox } from '../../ui/filter/search-box.tsx'
import { useText } from '../../ui/text.ts'
import { countKind, countProviders } from './list-prices.ts'
import { ratioText } from './price-cells.tsx'
import { text } from './text.ts'
import type { Pricing } from './use-pricing.ts'

const OTHERS_FACET = '-'
const NO_FILTERS = { q: '', provider: '', kind: '' } as const

/** Search, facets with their counts, the group whose prices are shown, and how they are shown. */
export function PricingFilters({ pricing }: { readonly pricing: Pricing }) {
  const t = useText(text)
  const { url, all, prices, group, own } = pricing
  const { search, setFilter, set } = url
  const providers = countProviders(all).map(({ value, count }) => ({
    value,
    count,
    label: value === OTHERS_FACET ? t('otherProvider') : value,
  }))
  const kinds = [
    { value: 'tokens', label: t('byTokens'), count: countKind(all, 'tokens') },
    { value: 'call', label: t('byCall'), count: countKind(all, 'call') },
  ]
  const groups = Object.entries(prices.data?.ratios ?? {}).map(([value, ratio]) => ({
    value,
    label: `${value} · ${ratioText(ratio)}×`,
  }))
  return (
    <FilterBar
      search={<SearchBox isMain label={t('search')} value={search.q} onSearch={q => setFilter({ q })} />}
      active={[search.provider, search.kind].filter(value => value !== '').length + Number(search.q !== '')}
      onClear={() => setFilter(NO_FILTERS)}
      tools={
        <span className="flex flex-wrap gap-2">
          <Choice
            label={t('unit')}
            value={search.unit}
            options={[
              ['price', t('unitPrice')],
              ['ratio', t('unitRatio')],
            ]}
            onChange={unit => set({ unit })}
          />
          <span className="max-sm:hidden">
            <Choice
              label={t('view')}
              value={search.view}
              options={[
                ['table', t('viewTable')],
                ['cards', t('viewCards')],
              ]}
              onChange={view => set({ view })}
            />
          </span>
        </span>
      }
    >
      <Facet
        label={t('group')}
        options={groups}
        value={group === own && search.group === '' ? '' : group}
        onChange={value => set({ group: value })}
      />
      <Facet
        label={t('provider')}
        options={providers}
        value={search.provider}
        onChange={provider => setFilter({ provider })}
      />
      <Facet
        label={t('kind')}
        options={kinds}
        value={search.kind}
        onChange={kind => setFilter({ kind: kind === 'tokens' || kind === 'call' ? kind : '' })}
      />
    </FilterBar>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: ReadonlyArray<readonly [Value, string]>
  readonly onChange: (value: Value) => void
}

/** One of two, side by side. */
const Choice = <Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) => (
  <fieldset aria-label={label} className="flex rounded-control border border-line-strong bg-surface p-0.5">
    {options.map(([option, name]) => (
      <button
        key={option}
        type="button"
        aria-pressed={option === value}
        onClick={() => onChange(option)}
        className={classes(
          'h-7.5 rounded-[4px] px-3 text-small whitespace-nowrap touch-target coarse:h-10',
          option === value ? 'bg-selected font-medium text-accent' : 'text-muted hover:text-fg',
        )}
      >
        {name}
      </button>
    ))}
  </fieldset>
)
