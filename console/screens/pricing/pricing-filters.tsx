import { classes } from '../../ui/classes.ts'
import { Facet } from '../../ui/filter/facet.tsx'
import { FilterBar } from '../../ui/filter/filter-bar.tsx'
import { SearchBox } from '../../ui/filter/search-box.tsx'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'
import { usePriceFacets } from './use-price-facets.ts'
import type { Pricing } from './use-pricing.ts'

const NO_FILTERS = { q: '', provider: '', kind: '' } as const

interface PricingFiltersProps {
  readonly pricing: Pricing
  /** The facets stand beside the list already. */
  readonly isPinned: boolean
}

/** Search, facets with their counts, the group whose prices are shown, and how they are shown. */
export function PricingFilters({ pricing, isPinned }: PricingFiltersProps) {
  const t = useText(text)
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
        : facets.map(({ label, marked: _, ...facet }) => <Facet key={label} label={label} {...facet} />)}
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
