import { useCallback } from 'react'
import type { z } from 'zod'
import { keepPageSize, usePageSize } from './table-state.ts'
import { type SearchChange, type SearchOf, useSetUrlState, useUrlState } from './url-state.ts'

type ListSchema = z.ZodObject<{ p: z.ZodType<number>; size: z.ZodType<number | undefined> }>

export interface ListUrl<Schema extends z.ZodObject> {
  readonly search: SearchOf<Schema>
  /** Counts from 1. */
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  /** Goes to the first page and keeps every filter. The size is kept for all lists. */
  readonly setSize: (size: number) => void
  /** Changes filters and goes to the first page. */
  readonly setFilter: (change: SearchChange<Schema>) => void
  readonly set: ReturnType<typeof useSetUrlState<Schema>>
}

/** Page, size and filters of a list, as the address says. `schema` holds `PageSearch`. */
export function useListUrl<Schema extends ListSchema>(schema: Schema): ListUrl<Schema> {
  const search = useUrlState(schema)
  const set = useSetUrlState(schema)
  const keptSize = usePageSize()
  const setPage = useCallback((page: number) => set(partOf({ p: page })), [set])
  const setSize = useCallback(
    (size: number) => {
      keepPageSize(size)
      set(partOf({ p: 1, size: undefined }))
    },
    [set],
  )
  const setFilter = useCallback(
    (change: SearchChange<Schema>) => set({ ...change, ...partOf({ p: 1 }) }),
    [set],
  )
  return { search, page: search.p, size: search.size ?? keptSize, setPage, setSize, setFilter, set }
}

/** Every list's schema has `p` and `size`: a part of them is a change of that schema. */
const partOf = <Schema extends ListSchema>(change: {
  readonly p?: number
  readonly size?: number | undefined
}) => change as SearchChange<Schema>
