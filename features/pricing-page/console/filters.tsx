import { classes } from '#console/ui/class-names.ts'
import { FacetList, type FacetOption } from '#console/ui/data/filter/facet-list.tsx'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { countKind, countProviders, OTHER_PROVIDER_FILTER } from './prices.ts'
import type { Pricing } from './queries.ts'
import { ratioText } from './table.tsx'
import { useScreenText } from './text.ts'

const NO_FILTERS = { q: '', provider: '', kind: '' } as const

interface PricingFiltersProps {
  readonly pricing: Pricing
  /** True while the facets have a column beside the list. */
  readonly isPinned: boolean
}

/** Search, facets, and the switches between prices and ratios and between table and cards. */
export function PricingFilters({ pricing, isPinned }: PricingFiltersProps) {
  const t = useScreenText()
  const facets = usePriceFacets(pricing)
  const { search, setFilter, set } = pricing.url
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
      {isPinned
        ? null
        : facets.map(({ label, selected: _, ...facet }) => <Facet key={label} label={label} {...facet} />)}
    </FilterBar>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: ReadonlyArray<readonly [Value, string]>
  readonly onChange: (value: Value) => void
}

/** Buttons side by side, one of them pressed. */
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

interface PriceFacet {
  readonly label: string
  readonly options: readonly FacetOption[]
  /** Empty: no filter. */
  readonly value: string
  /** The option marked in an open list. The user's own group is marked there although it counts as no filter. */
  readonly selected: string
  readonly onChange: (value: string) => void
}

/** The group whose prices are shown, and the filters with the number of models of each value. */
function usePriceFacets({ url, all, prices, group, ownGroup }: Pricing): readonly PriceFacet[] {
  const t = useScreenText()
  const { search, setFilter, set } = url
  return [
    {
      label: t('group'),
      options: Object.entries(prices.data?.ratios ?? {}).map(([value, ratio]) => ({
        value,
        label: `${value} · ${ratioText(ratio)}×`,
      })),
      value: group === ownGroup && search.group === '' ? '' : group,
      selected: group,
      onChange: value => set({ group: value }),
    },
    {
      label: t('provider'),
      options: countProviders(all).map(({ value, count }) => ({
        value,
        count,
        label: value === OTHER_PROVIDER_FILTER ? t('otherProvider') : value,
      })),
      value: search.provider,
      selected: search.provider,
      onChange: provider => setFilter({ provider }),
    },
    {
      label: t('kind'),
      options: [
        { value: 'tokens', label: t('byTokens'), count: countKind(all, 'tokens') },
        { value: 'call', label: t('byCall'), count: countKind(all, 'call') },
      ],
      value: search.kind,
      selected: search.kind,
      onChange: kind => setFilter({ kind: kind === 'tokens' || kind === 'call' ? kind : '' }),
    },
  ]
}

/** The facets as open lists in a column of their own, for wide screens. */
export function FacetColumn({ pricing }: { readonly pricing: Pricing }) {
  const k = useKitText()
  const facets = usePriceFacets(pricing)
  return (
    <aside aria-label={k('filters')} className="grid content-start gap-4">
      {facets.map(facet =>
        pricing.prices.data ? (
          <OpenFacet key={facet.label} facet={facet} />
        ) : (
          <Skeleton key={facet.label} className="h-28 w-full rounded-card!" />
        ),
      )}
    </aside>
  )
}

const OpenFacet = ({ facet: { label, options, selected, onChange } }: { readonly facet: PriceFacet }) => (
  <section aria-label={label} className="rounded-card border border-line bg-surface text-small">
    <h2 className="px-3 pt-2.5 pb-1 text-caption font-medium text-muted">{label}</h2>
    <FacetList label={label} options={options} value={selected} isFree={false} onPick={onChange} />
  </section>
)
