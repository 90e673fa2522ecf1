import { queryOptions, useMutation } from '@tanstack/react-query'
import { searchUsers } from '#contract/accounts/user-management.ts'
import { searchChannels } from '#contract/channels/channel-endpoints.ts'
import { deleteLogs, getLogDeletion } from '#contract/logs/log-deletion.ts'
import { getSetup, resetModelRatio } from '#contract/options/options.ts'
import { call, callWithMeta } from '../../../app/api/call.ts'
import { useInvalidateOptions } from '../options/queries.ts'

const POLL_MS = 1000

/** Progress of the log cleanup, polled while it runs. */
export const logDeletionQuery = queryOptions({
  queryKey: ['log-deletion'],
  queryFn: ({ signal }) => call(getLogDeletion, { signal }),
  refetchInterval: query => (query.state.data?.is_running ? POLL_MS : false),
  staleTime: 0,
})

/** Starts deleting log rows in the background. */
export const startLogDeletion = (beforeSeconds: number) =>
  call(deleteLogs, { query: { target_timestamp: beforeSeconds, background: true } })

export interface GroupUse {
  readonly users: number
  readonly channels: number
}

/** Number of users and channels in a group. */
export const groupUseQuery = (group: string) =>
  queryOptions({
    queryKey: ['group-use', group],
    queryFn: async ({ signal }): Promise<GroupUse> => {
      const [users, channels] = await Promise.all([
        call(searchUsers, { query: { group, p: 1, page_size: 1 }, signal }),
        callWithMeta(searchChannels, { query: { group, p: 0, page_size: 1 }, signal }),
      ])
      return { users: users.total, channels: channels.meta.total }
    },
  })

/** Models of enabled channels that neither an option nor the catalogue prices. */
export const unpricedModelsQuery = queryOptions({
  queryKey: ['unpriced-models'],
  queryFn: async ({ signal }) => (await call(getSetup, { signal })).unpriced_models,
  staleTime: 0,
})

export function useResetModelRatios() {
  const refresh = useInvalidateOptions()
  return useMutation({ mutationFn: () => call(resetModelRatio, {}), onSuccess: refresh })
}
