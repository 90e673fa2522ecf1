import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, MATCHING_TIMEOUT_MS } from '#console/app/api/call.ts'
import type { FoundRecord } from '#console/app/router/define-screen.ts'
import {
  createRedemptions,
  deleteMatchingRedemptions,
  deleteRedemption,
  getRedemption,
  listRedemptions,
  type Redemption,
  type RedemptionChange,
  type RedemptionDraft,
  searchRedemptions,
  updateMatchingRedemptions,
  updateRedemption,
} from '../contract.ts'

export interface CodeFilter {
  readonly q: string
  readonly status: string
}

export interface CodeListPage {
  readonly rows: readonly Redemption[]
  readonly total: number
  readonly unusedCount: number
  readonly unusedQuota: number
}

/** One page of codes; `p` counts from 1. */
export async function fetchCodes(
  filter: CodeFilter,
  p: number,
  size: number,
  signal?: AbortSignal,
): Promise<CodeListPage> {
  const query = { p, page_size: size, status: Number(filter.status) }
  const abort = signal ? { signal } : {}
  const response =
    filter.q === ''
      ? await call(listRedemptions, { query, ...abort })
      : await call(searchRedemptions, { query: { ...query, keyword: filter.q }, ...abort })
  const { items: rows, total, unused_count: unusedCount, unused_quota: unusedQuota } = response
  return { rows, total, unusedCount, unusedQuota }
}

/** One page of codes; `page` counts from 1. */
export const codesQuery = (filter: CodeFilter, page: number, size: number) =>
  queryOptions({
    queryKey: ['redemptions', filter, page, size],
    queryFn: ({ signal }) => fetchCodes(filter, page, size, signal),
    placeholderData: keepPreviousData,
  })

export const codeQuery = (id: number) =>
  queryOptions({
    queryKey: ['redemption', id],
    queryFn: ({ signal }) => call(getRedemption, { params: { id }, signal }),
    gcTime: 0,
  })

/** Mutations. Each refreshes the list; forms display their own errors. */
export function useCodeMutations() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: ['redemptions'] })
  const create = useMutation({
    meta: { isQuiet: true },
    mutationFn: (draft: RedemptionDraft) => call(createRedemptions, { body: draft }),
    onSettled,
  })
  const update = useMutation({
    meta: { isQuiet: true },
    mutationFn: (change: RedemptionChange) => call(updateRedemption, { body: change }),
    onSettled,
  })
  const setStatus = useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ id, status }: { readonly id: number; readonly status: 1 | 2 }) =>
      call(updateRedemption, { query: { status_only: 'true' }, body: { id, status } }),
    onSettled,
  })
  const remove = useMutation({
    meta: { isQuiet: true },
    mutationFn: (id: number) => call(deleteRedemption, { params: { id } }),
    onSettled,
  })
  return { create, update, setStatus, remove }
}

const toMatching = ({ q, status }: CodeFilter, count: number) => ({
  filter: { keyword: q, status: Number(status) },
  count,
})

/** Enables or disables all codes that match, unless they are more than `count`. */
export const switchMatching = (filter: CodeFilter, count: number, status: 1 | 2) =>
  call(updateMatchingRedemptions, {
    body: { ...toMatching(filter, count), status },
    timeoutMs: MATCHING_TIMEOUT_MS,
  })

/** Deletes all codes that match, unless they are more than `count`. */
export const deleteMatching = (filter: CodeFilter, count: number) =>
  call(deleteMatchingRedemptions, { body: toMatching(filter, count), timeoutMs: MATCHING_TIMEOUT_MS })

const FOUND_MAX = 5

/** Codes with the id, the complete code or the beginning of the name. */
export async function findCodes(keyword: string, signal: AbortSignal): Promise<readonly FoundRecord[]> {
  const { items } = await call(searchRedemptions, { query: { keyword, page_size: FOUND_MAX }, signal })
  return items.map(({ id, name }) => ({ name, detail: `#${id}`, href: `/redemption?edit=${id}` }))
}
