import { type UseQueryResult, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import { fetchUnsavedModels } from '#features/channels/contract/channel-checks.ts'
import { createChannels, listChannelTypes } from '#features/channels/contract/channel-endpoints.ts'
import type { ChannelType } from '#features/channels/contract/channels.ts'
import { type KeyedChannel, modelsToOffer, toDrafts } from './pasted-keys.ts'

const PROVIDER_TIMEOUT_MS = 60_000

/** The providers, with their names in the current language. */
export function useProviders() {
  const isChinese = useLanguage() === 'zh'
  return useQuery({
    queryKey: ['channel-keys', 'types'],
    queryFn: ({ signal }) => call(listChannelTypes, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    select: types => types.map(type => ({ ...type, name: isChinese ? type.name_zh : type.name })),
  })
}

export interface ChosenKey {
  readonly key: string
  readonly type: ChannelType | undefined
}

/**
 * The models to offer with each key; fails where the provider rejects the key. A provider that lists no models is not
 * asked. Results are kept no longer than the page is open, because their names contain the keys.
 */
export const useModelsOf = (keys: readonly ChosenKey[]): ReadonlyArray<UseQueryResult<readonly string[]>> =>
  useQueries({
    queries: keys.map(({ key, type }) => ({
      queryKey: ['channel-keys', 'models', type?.type, key],
      queryFn: async () =>
        type?.can_list_models ? modelsToOffer(type, await modelsOfAccount(type, key)) : (type?.models ?? []),
      enabled: type !== undefined,
      retry: false,
      gcTime: 0,
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })

const modelsOfAccount = ({ type, form }: ChannelType, key: string) =>
  call(fetchUnsavedModels, {
    body: { type, key, base_url: '', other: form.other?.default_value ?? '' },
    timeoutMs: PROVIDER_TIMEOUT_MS,
  })

export interface CreatedChannels {
  readonly created: readonly KeyedChannel[]
  readonly failed: ReadonlyArray<{ readonly name: string; readonly error: unknown }>
}

/** Creates one channel after the other, so that a rejected one keeps no other from being created. */
export function useCreateChannels() {
  const client = useQueryClient()
  return async (channels: readonly KeyedChannel[]): Promise<CreatedChannels> => {
    const created: KeyedChannel[] = []
    const failed: Array<CreatedChannels['failed'][number]> = []
    for (const [index, draft] of toDrafts(channels).entries()) {
      const channel = channels[index]
      try {
        await call(createChannels, { body: draft })
        if (channel) created.push(channel)
      } catch (error) {
        failed.push({ name: draft.name ?? '', error })
      }
    }
    void client.invalidateQueries({ queryKey: ['channels'] })
    void client.invalidateQueries({ queryKey: ['setup'] })
    return { created, failed }
  }
}
