import type { FacetOption } from '../../ui/data/filter/filters.tsx'
import { MultiFacet } from '../../ui/data/filter/multi-facet.tsx'
import { useText } from '../../ui/text/text.ts'
import { FILTER_FIELDS, type FilterField, leftOut, withLeftOut } from './exclusions.ts'
import { text } from './text.ts'
import type { LogUrl } from './use-log-view.ts'

interface LeftOutFacetsProps {
  readonly url: LogUrl
  readonly options: Readonly<Record<FilterField, readonly FacetOption[]>>
}

/** One chip for each field of which values are left out. */
export function LeftOutFacets({ url: { search, setFilter }, options }: LeftOutFacetsProps) {
  const t = useText(text)
  return FILTER_FIELDS.map(field => {
    const values = leftOut(search, field)
    if (values.length === 0) return null
    return (
      <MultiFacet
        key={field}
        label={t('isNot', { field: t(field) })}
        options={options[field]}
        values={values}
        onChange={next => setFilter(withLeftOut(field, next))}
      />
    )
  })
}
