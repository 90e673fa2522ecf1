import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { createAccessToken, deleteAccessToken, listAccessTokens } from '../contract.ts'

const keyOf = (id: number) => ['access-tokens', id]

export const accessTokensQuery = (id: number) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => call(listAccessTokens, { params: { id }, signal }),
  })

/** Mutations of the tokens of a user. Each refreshes the list; the form displays its own errors. */
export function useAccessTokenChanges(id: number) {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: keyOf(id) })
  const create = useMutation({
    meta: { isQuiet: true },
    mutationFn: (body: BodyOf<typeof createAccessToken>) => call(createAccessToken, { body }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (token: string) => call(deleteAccessToken, { params: { id, token } }),
    onSettled,
  })
  return { create, remove }
}
