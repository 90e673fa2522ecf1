import { z } from 'zod'
import { PAGE_SIZE_DEFAULT, PAGE_SIZES } from '#contract/endpoint.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'

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
