import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import type { TOKEN_STATUS } from '#contract/enums.ts'
import { listTokenAddresses } from '#features/token-addresses/contract.ts'
import { findTokenByKey, listAllTokens, updateAllTokensStatus } from '../../contract/all-tokens.ts'

const KEY = 'all-tokens'

export interface AllFilter {
  readonly keyword: string
  /** Empty: any. */
  readonly status: string
}

/** One page of the tokens of all users; `page` counts from 1. */
export const allTokensQuery = ({ keyword, status }: AllFilter, page: number, size: number) =>
  queryOptions({
    queryKey: [KEY, keyword, status, page, size],
    queryFn: async ({ signal }) => {
      const query = { p: page, page_size: size, keyword, status: Number(status) }
      const { items: rows, total } = await call(listAllTokens, { query, signal })
      return { rows, total }
    },
    placeholderData: keepPreviousData,
  })

/** The token of a pasted key. The key stays in the memory of this page, and is forgotten with it. */
export const keyQuery = (key: string) =>
  queryOptions({
    queryKey: [KEY, 'key', key],
    queryFn: async ({ signal }) => [await call(findTokenByKey, { body: { key }, signal })],
    enabled: key !== '',
    retry: false,
    gcTime: 0,
  })

/** From where a token was used, used last first. */
export const addressesQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, 'addresses', id],
    queryFn: ({ signal }) => call(listTokenAddresses, { params: { id }, signal }),
  })

type Status = typeof TOKEN_STATUS.enabled | typeof TOKEN_STATUS.disabled

export function useSwitchToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, status }: { readonly id: number; readonly status: Status }) => {
      const [row] = await call(updateAllTokensStatus, { body: { ids: [id], status } })
      if (row && !row.success) throw new Error(row.message)
    },
    onSettled: () => client.invalidateQueries({ queryKey: [KEY] }),
  })
}
