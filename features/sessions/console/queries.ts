import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { endSession, endSessions, listSessions } from '../contract.ts'

const keyOf = (id: number) => ['sessions', id]

export const sessionsQuery = (id: number) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => call(listSessions, { params: { id }, signal }),
  })

/** Ends one session of a user, or all but the own one. */
export function useEndSession(id: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (session: string | undefined) =>
      session === undefined
        ? call(endSessions, { params: { id } })
        : call(endSession, { params: { id, session } }),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(id) }),
  })
}
