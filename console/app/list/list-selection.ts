import { hashKey } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'

export interface ListSelection {
  /** Ids of the selected rows. When everything that matches is selected, those of the page that is shown. */
  readonly ids: ReadonlySet<string>
  /** Everything that matches the filter is selected, on all pages. */
  readonly isAll: boolean
  /** The number of selected records, on all pages if `isAll`. */
  readonly count: number
  /** How many match on all pages, when the whole page is selected and there is more. */
  readonly offered: number | undefined
  readonly select: (ids: ReadonlySet<string>) => void
  readonly selectAll: () => void
  readonly clear: () => void
}

interface SelectableList {
  /** Ids of the records of this page; undefined until it is loaded. */
  readonly pageIds: readonly string[] | undefined
  /** Undefined while unknown, and where no call changes all that match. */
  readonly total: number | undefined
  /** Another filter matches other records, so it ends the selection of all. */
  readonly filter: object
}

const NONE: ReadonlySet<string> = new Set()

/** The selected rows of a list: some of them, the page, or everything that matches the filter. */
export function useListSelection({ pageIds, total, filter }: SelectableList): ListSelection {
  const [selected, setSelected] = useState(NONE)
  const [allOf, setAllOf] = useState<string>()
  const filterKey = hashKey([filter])
  const isAll = allOf === filterKey && total !== undefined && total > 0
  const pageSet = useMemo(() => new Set(pageIds), [pageIds])
  const onPage = (pageIds ?? []).filter(id => selected.has(id)).length
  const isPageSelected = onPage > 0 && onPage === pageIds?.length
  const select = useCallback((ids: ReadonlySet<string>) => {
    setAllOf(undefined)
    setSelected(ids)
  }, [])
  return {
    ids: isAll ? pageSet : selected,
    isAll,
    count: isAll ? total : onPage,
    offered: !isAll && isPageSelected && total !== undefined && total > onPage ? total : undefined,
    select,
    selectAll: useCallback(() => setAllOf(filterKey), [filterKey]),
    clear: useCallback(() => select(NONE), [select]),
  }
}
