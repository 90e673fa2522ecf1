import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, callWithMeta } from '#console/app/api/call.ts'
import { withoutKey } from '#console/app/api/token-keys.ts'
import type { FoundRecord } from '#console/app/router/define-screen.ts'
import {
  createToken,
  deleteToken,
  getToken,
  listTokens,
  searchTokens,
  type Token,
  type TokenChange,
  type TokenDraft,
  updateToken,
} from '#contract/entities/token.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import { OVERLAP_HOURS, rotateToken } from '../contract/rotation.ts'

const OPTIONS_STALE_MS = 30 * 60_000
const FIRST_REQUEST_POLL_MS = 3000

export interface TokenFilter {
  readonly q: string
  readonly key: string
  /** Empty: any status. */
  readonly status: string
  readonly group: string
}

interface TokenListPage {
  readonly rows: readonly Token[]
  readonly total: number | undefined
}

/** One page of own tokens; `p` counts from 0. */
export async function fetchTokens(
  filter: TokenFilter,
  p: number,
  size: number,
  signal?: AbortSignal,
): Promise<TokenListPage> {
  const abort = signal ? { signal } : {}
  const query = { p, size, status: Number(filter.status), group: filter.group }
  const response =
    filter.q === '' && filter.key === ''
      ? await callWithMeta(listTokens, { query, ...abort })
      : await callWithMeta(searchTokens, {
          query: { ...query, keyword: filter.q, token: filter.key },
          ...abort,
        })
  return { rows: response.data.map(withoutKey), total: response.meta.total }
}

/** One page of own tokens; `page` counts from 1. */
export const tokensQuery = (filter: TokenFilter, page: number, size: number) =>
  queryOptions({
    queryKey: ['tokens', filter, page, size],
    queryFn: ({ signal }) => fetchTokens(filter, page - 1, size, signal),
    placeholderData: keepPreviousData,
  })

export const tokenQuery = (id: number) =>
  queryOptions({
    queryKey: ['token', id],
    queryFn: async ({ signal }) => withoutKey(await call(getToken, { params: { id }, signal })),
    gcTime: 0,
  })

const isUsed = (token: Token): boolean => token.used_quota > 0 || token.accessed_time > token.created_time

/** True once a request has used the token; polled until then. */
export const firstRequestQuery = (id: number) =>
  queryOptions({
    queryKey: ['token', id, 'first-request'],
    queryFn: async ({ signal }) => isUsed(await call(getToken, { params: { id }, signal })),
    refetchInterval: query => (query.state.data === true ? false : FIRST_REQUEST_POLL_MS),
    gcTime: 0,
  })

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => call(listSelfGroups, { signal }),
  staleTime: OPTIONS_STALE_MS,
})

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(listUserModels, { signal }),
  staleTime: OPTIONS_STALE_MS,
})

/** Mutations. Each refreshes the list, except `create`: a batch refreshes once at its end. Forms display their own errors. */
export function useTokenMutations() {
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: ['tokens'] })
  const create = useMutation({
    meta: { isQuiet: true },
    mutationFn: (draft: TokenDraft) => call(createToken, { body: draft }),
  })
  const update = useMutation({
    meta: { isQuiet: true },
    mutationFn: async (change: TokenChange) => withoutKey(await call(updateToken, { body: change })),
    onSettled: refresh,
  })
  const remove = useMutation({
    mutationFn: (id: number) => call(deleteToken, { params: { id } }),
    onSettled: refresh,
  })
  const setStatus = useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ id, status }: { readonly id: number; readonly status: 1 | 2 }) =>
      call(updateToken, { query: { status_only: 'true' }, body: { id, status } }),
    onSettled: refresh,
  })
  const rotate = useMutation({
    mutationFn: (id: number) => call(rotateToken, { params: { id }, body: { overlap_hours: OVERLAP_HOURS } }),
    onSettled: refresh,
  })
  return { create, update, remove, rotate, setStatus, refresh }
}

const FOUND_MAX = 5

/** Own tokens whose name contains the keyword. */
export async function findTokens(keyword: string, signal: AbortSignal): Promise<readonly FoundRecord[]> {
  const tokens = await call(searchTokens, { query: { keyword, p: 0, size: FOUND_MAX }, signal })
  return tokens.map(({ id, name }) => ({ name, detail: `#${id}`, href: `/token?edit=${id}` }))
}
