import type { FacetOption } from '../../ui/data/filter/filters.tsx'
import { MultiFacet } from '../../ui/data/filter/multi-facet.tsx'
import { useText } from '../../ui/text/text.ts'
import { FILTER_FIELDS, type FilterField, excludedValues, setExcluded } from './exclusions.ts'
import { text } from './text.ts'
import type { LogUrl } from './use-log-view.ts'

interface ExclusionFacetsProps {
  readonly url: LogUrl
  readonly options: Readonly<Record<FilterField, readonly FacetOption[]>>
}

/** One chip for each field of which values are left out. */
export function ExclusionFacets({ url: { search, setFilter }, options }: ExclusionFacetsProps) {
  const t = useText(text)
  return FILTER_FIELDS.map(field => {
    const values = excludedValues(search, field)
    if (values.length === 0) return null
    return (
      <MultiFacet
        key={field}
        label={t('isNot', { field: t(field) })}
        options={options[field]}
        values={values}
        onChange={next => setFilter(setExcluded(field, next))}
      />
    )
  })
}
