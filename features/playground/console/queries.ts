import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { useUser } from '#console/app/session/session.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import { type LogEntry, listSelfLogs } from '#features/logs/contract/logs.ts'
import { listPricing } from '#features/pricing-page/contract.ts'
import { callStream, type StreamedReply } from './call-stream.ts'
import type { ChatRequestBody } from './request.ts'
import type { Settings } from './settings.ts'

const OPTIONS_STALE_MS = 30 * 60_000
const LOGGED_STALE_MS = 24 * 3_600_000
const LOG_POLL_MS = 1500
/** After a stop the gateway reads on for the provider's figures, for 30 seconds by default. */
const LOG_POLLS_MAX = 24

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => call(listSelfGroups, { signal }),
  staleTime: OPTIONS_STALE_MS,
})

const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(listUserModels, { signal }),
  staleTime: OPTIONS_STALE_MS,
})

/** The pricing list tells which groups serve which models. */
const pricingQuery = queryOptions({
  queryKey: ['playground', 'pricing'],
  queryFn: ({ signal }) => call(listPricing, { signal }),
  staleTime: OPTIONS_STALE_MS,
})

/** `model-missing`: the group serves models, but not the selected one. */
type AvailabilityState = 'unknown' | 'failed' | 'none' | 'model-missing' | 'ready'

/** The models of the selected group. When the pricing list fails to load, all models of the user. */
export function useAvailableModels(settings: Pick<Settings, 'group' | 'model'>) {
  const ownGroup = useUser()?.group ?? ''
  const group = settings.group || ownGroup
  const userModels = useQuery(modelsQuery)
  const pricing = useQuery(pricingQuery)
  const models = pricing.data
    ? pricing.data.filter(row => row.enable_groups.includes(group)).map(row => row.model_name)
    : pricing.error
      ? userModels.data
      : undefined
  const error = userModels.error ?? pricing.error
  return {
    state: availabilityState(models, settings.model, error),
    models: (models ?? []).toSorted(),
    error,
    isFetching: userModels.isFetching || pricing.isFetching,
    refetch: () => Promise.all([userModels.refetch(), pricing.refetch()]),
  }
}

/** The models known not to read pictures. */
export function useModelsWithoutVision(models: readonly string[]): readonly string[] {
  const { data = [] } = useQuery(pricingQuery)
  const isBlind = (model: string) =>
    data.find(row => row.model_name === model)?.input_modalities?.includes('image') === false
  return [...new Set(models)].filter(isBlind)
}

function availabilityState(
  models: readonly string[] | undefined,
  model: string,
  error: unknown,
): AvailabilityState {
  if (models === undefined) return error ? 'failed' : 'unknown'
  if (models.length === 0) return 'none'
  return models.includes(model) ? 'ready' : 'model-missing'
}

/** The log entry of a reply, with its tokens and its cost. Null, and polled, until the server has written it. */
export const replyLogQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['playground', 'reply-log', requestId],
    queryFn: async ({ signal }): Promise<LogEntry | null> => {
      const { items } = await call(listSelfLogs, { query: { request_id: requestId }, signal })
      return items[0] ?? null
    },
    staleTime: query => (query.state.data ? LOGGED_STALE_MS : 0),
    refetchInterval: query =>
      query.state.data || query.state.dataUpdateCount >= LOG_POLLS_MAX ? false : LOG_POLL_MS,
  })

/** Requests a reply as a stream. */
export const streamChat = (body: ChatRequestBody, signal: AbortSignal): Promise<StreamedReply> =>
  callStream('/pg/chat/completions', body, signal)
