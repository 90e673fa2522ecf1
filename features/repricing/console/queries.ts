import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type CallInput, call } from '#console/app/api/call.ts'
import { cancelReprice, getReprice, startReprice } from '../contract.ts'

const POLL_MS = 1000

/** The computation that was started last, polled while it runs. */
export const repriceQuery = queryOptions({
  queryKey: ['reprice'],
  queryFn: ({ signal }) => call(getReprice, { signal }),
  refetchInterval: query => (query.state.data?.status === 'running' ? POLL_MS : false),
  staleTime: 0,
})

type RepriceRequest = NonNullable<CallInput<typeof startReprice>['body']>

export function useStartReprice() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: RepriceRequest) => call(startReprice, { body }),
    onSuccess: state => client.setQueryData(repriceQuery.queryKey, state),
  })
}

export function useCancelReprice() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call(cancelReprice, {}),
    onSuccess: state => client.setQueryData(repriceQuery.queryKey, state),
  })
}
