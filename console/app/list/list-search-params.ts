import { useCallback } from 'react'
import { z } from 'zod'
import { PAGE_SIZE_DEFAULT, PAGE_SIZES } from '#contract/endpoint.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'
import {
  type SearchParamsChange,
  type SearchParamsOf,
  useSearchParams,
  useSetSearchParams,
} from '../router/search-params.ts'

type ListSchema = z.ZodObject<{ p: z.ZodType<number>; size: z.ZodType<number | undefined> }>

export interface ListSearchParams<Schema extends z.ZodObject> {
  readonly search: SearchParamsOf<Schema>
  /** Counted from 1. */
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  /** Returns to the first page and keeps the filters. The size applies to all lists. */
  readonly setSize: (size: number) => void
  /** Changes filters and returns to the first page. */
  readonly setFilter: (change: SearchParamsChange<Schema>) => void
  readonly set: ReturnType<typeof useSetSearchParams<Schema>>
}

/** Page, size and filters of a list, from the URL. `schema` includes `PageSearch`. */
export function useListSearchParams<Schema extends ListSchema>(schema: Schema): ListSearchParams<Schema> {
  const search = useSearchParams(schema)
  const set = useSetSearchParams(schema)
  const keptSize = usePageSize()
  const setPage = useCallback((page: number) => set(toChange({ p: page })), [set])
  const setSize = useCallback(
    (size: number) => {
      choosePageSize(size)
      set(toChange({ p: 1, size: undefined }))
    },
    [set],
  )
  const setFilter = useCallback(
    (change: SearchParamsChange<Schema>) => set({ ...change, ...toChange({ p: 1 }) }),
    [set],
  )
  return { search, page: search.p, size: search.size ?? keptSize, setPage, setSize, setFilter, set }
}

/** Every list schema has `p` and `size`, so a change of them is a change of that schema. */
const toChange = <Schema extends ListSchema>(change: {
  readonly p?: number
  readonly size?: number | undefined
}) => change as SearchParamsChange<Schema>

function storedPageSize(): number {
  const stored = Number(readStored('page-size'))
  return PAGE_SIZES.find(size => size === stored) ?? PAGE_SIZE_DEFAULT
}

const pageSize = createStore(storedPageSize())

/** Rows per page, shared by all lists and stored under `page-size`. */
export const usePageSize = (): number => useStore(pageSize)

export function choosePageSize(size: number): void {
  writeStored('page-size', String(size))
  pageSize.set(size)
}

/** `p` and `size` of a list's URL. `size` is absent while the stored page size applies. */
export const PageSearch = {
  p: z.coerce.number().int().min(1).catch(1).default(1),
  size: z.coerce
    .number()
    .refine(size => PAGE_SIZES.some(allowed => allowed === size))
    .optional()
    .catch(undefined),
} as const

export const effectivePageSize = (search: { readonly size?: number | undefined }): number =>
  search.size ?? pageSize.get()
