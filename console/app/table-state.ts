import { z } from 'zod'
import { PAGE_SIZE_DEFAULT, PAGE_SIZES } from '#contract/endpoint.ts'
import { createStore, type Store, useStore } from '../ui/create-store.ts'
import { FIRST_VIEW, type TableView } from '../ui/table/column.ts'
import { readStored, readStoredJson, writeStored, writeStoredJson } from './local-store.ts'

const View = z.object({
  density: z.enum(['compact', 'comfortable']),
  hidden: z.array(z.string()),
  shown: z.array(z.string()),
})

const views = new Map<string, Store<TableView>>()

function viewStore(table: string): Store<TableView> {
  const known = views.get(table)
  if (known) return known
  const store = createStore<TableView>(View.safeParse(readStoredJson(`table-${table}`)).data ?? FIRST_VIEW)
  views.set(table, store)
  return store
}

/** Columns and row height of one table, kept in this browser. `table` names it, with the role where the columns differ. */
export function useTableView(table: string): readonly [TableView, (view: TableView) => void] {
  const store = viewStore(table)
  const change = (next: TableView) => {
    writeStoredJson(`table-${table}`, next)
    store.set(next)
  }
  return [useStore(store), change]
}

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
