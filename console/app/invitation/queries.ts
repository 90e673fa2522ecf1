import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { getInvitationCode, transferInvitationQuota } from '#contract/accounts/account.ts'
import { call } from '../api/call.ts'

export const invitationQuery = queryOptions({
  queryKey: ['invitation'],
  queryFn: ({ signal }) => call(getInvitationCode, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Moves earnings into the balance and refetches both. */
export function useTransfer() {
  const client = useQueryClient()
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: (quota: number) => call(transferInvitationQuota, { body: { quota } }),
    onSettled: () =>
      Promise.all(['self', 'wallet'].map(key => client.invalidateQueries({ queryKey: [key] }))),
  })
}
