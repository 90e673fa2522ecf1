import { queryOptions, useMutation } from '@tanstack/react-query'
import { call, callWithMeta } from '#console/app/api/call.ts'
import { useInvalidateOptions } from '#console/app/settings/queries.ts'
import { getSetup, resetModelRatio } from '#contract/options/options.ts'
import { listEnabledModels, searchChannels } from '#features/channels/contract/channel-endpoints.ts'
import { listDefaultRatios } from '#features/pricing-page/contract.ts'
import { searchUsers } from '#features/users/contract.ts'
import type { BucketRatios } from './model-prices.ts'

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

/** Models that enabled channels serve. */
export const servedModelsQuery = queryOptions({
  queryKey: ['channels', 'enabled-models', 'set'],
  queryFn: async ({ signal }): Promise<ReadonlySet<string>> =>
    new Set(await call(listEnabledModels, { signal })),
})

/** The ratios that apply where the options have none, by model. */
export const defaultRatiosQuery = queryOptions({
  queryKey: ['options', 'default-ratios'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, BucketRatios>> => {
    const rows = await call(listDefaultRatios, { signal })
    return new Map(
      rows.map(({ model_name, completion_ratio, cache_ratio, create_cache_ratio }) => [
        model_name,
        { completion: completion_ratio, cache: cache_ratio, cacheWrite: create_cache_ratio },
      ]),
    )
  },
})

export function useResetModelRatios() {
  const refresh = useInvalidateOptions()
  return useMutation({ mutationFn: () => call(resetModelRatio, {}), onSuccess: refresh })
}
