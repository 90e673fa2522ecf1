import { FacetList } from '../../ui/filter/facet-list.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useText } from '../../ui/text.ts'
import { type PriceFacet, usePriceFacets } from './use-price-facets.ts'
import type { Pricing } from './use-pricing.ts'

/** The facets beside the list, open all the time, where there is room for them. */
export function FacetColumn({ pricing }: { readonly pricing: Pricing }) {
  const k = useText(kitText)
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

const OpenFacet = ({ facet: { label, options, marked, onChange } }: { readonly facet: PriceFacet }) => (
  <section aria-label={label} className="rounded-card border border-line bg-surface text-small">
    <h2 className="px-3 pt-2.5 pb-1 text-caption font-medium text-muted">{label}</h2>
    <FacetList label={label} options={options} value={marked} isFree={false} onPick={onChange} />
  </section>
)
