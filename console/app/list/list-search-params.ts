import { useCallback } from 'react'
import { z } from 'zod'
import { PAGE_SIZE_DEFAULT, PAGE_SIZES } from '#contract/endpoint.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'
import { type SearchChange, type SearchOf, useSetUrlState, useUrlState } from '../router/search-params.ts'

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

function storedPageSize(): number {
  const stored = Number(readStored('page-size'))
  return PAGE_SIZES.find(size => size === stored) ?? PAGE_SIZE_DEFAULT
}

const pageSize = createStore(storedPageSize())

/** How many rows a page has: shared by all lists, kept under `page-size`. */
export const usePageSize = (): number => useStore(pageSize)

export function keepPageSize(size: number): void {
  writeStored('page-size', String(size))
  pageSize.set(size)
}

/** `p` and `size` of a list's address. `size` is absent while the reader's own size holds. */
export const PageSearch = {
  p: z.coerce.number().int().min(1).catch(1).default(1),
  size: z.coerce
    .number()
    .refine(size => PAGE_SIZES.some(allowed => allowed === size))
    .optional()
    .catch(undefined),
} as const

export const pageSizeOf = (search: { readonly size?: number | undefined }): number =>
  search.size ?? pageSize.get()
