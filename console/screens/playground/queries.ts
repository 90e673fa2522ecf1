import { queryOptions, useQuery } from '@tanstack/react-query'
import { type LogEntry, listSelfLogs } from '#contract/logs/logs.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import { listPricing } from '#contract/billing/pricing.ts'
import { call } from '../../app/api/call.ts'
import { callStream, type EventStream } from '../../app/api/call-stream.ts'
import type { ChatRequestBody } from './request.ts'
import { useUser } from '../../app/session/session.ts'
import type { Settings } from './settings.ts'

const OPTIONS_STALE_MS = 30 * 60_000
const LOGGED_STALE_MS = 24 * 3_600_000
const LOG_POLL_MS = 1500
const LOG_POLLS_MAX = 5

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

/** Which groups serve which model. */
export const pricingQuery = queryOptions({
  queryKey: ['playground', 'served'],
  queryFn: ({ signal }) => call(listPricing, { signal }),
  staleTime: OPTIONS_STALE_MS,
})

/** The log row of one answer: what it used and cost. Null while it is not written. */
export const replyLogQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['playground', 'row', requestId],
    queryFn: async ({ signal }): Promise<LogEntry | null> => {
      const { items } = await call(listSelfLogs, { query: { request_id: requestId }, signal })
      return items[0] ?? null
    },
    staleTime: query => (query.state.data ? LOGGED_STALE_MS : 0),
    refetchInterval: query =>
      query.state.data || query.state.dataUpdateCount >= LOG_POLLS_MAX ? false : LOG_POLL_MS,
  })

/** Asks for an answer, event by event. */
export const streamReply = (body: ChatRequestBody, signal: AbortSignal): Promise<EventStream> =>
  callStream('/pg/chat/completions', body, signal)

/** `elsewhere`: the group serves models, but not the chosen one. */
type AvailabilityState = 'unknown' | 'failed' | 'none' | 'elsewhere' | 'ready'

/** What the chosen group serves; all of the user's models where the groups are not known. */
export function useAvailableModels(settings: Pick<Settings, 'group' | 'model'>) {
  const own = useUser()?.group ?? ''
  const group = settings.group || own
  const all = useQuery(modelsQuery)
  const served = useQuery(pricingQuery)
  const known = served.data
    ? served.data.filter(row => row.enable_groups.includes(group)).map(row => row.model_name)
    : served.error
      ? all.data
      : undefined
  return {
    state: stateOf(known, settings.model, all.error ?? served.error),
    models: (known ?? []).toSorted(),
    error: all.error ?? served.error,
    isFetching: all.isFetching || served.isFetching,
    refetch: () => Promise.all([all.refetch(), served.refetch()]),
  }
}

function stateOf(known: readonly string[] | undefined, model: string, error: unknown): AvailabilityState {
  if (known === undefined) return error ? 'failed' : 'unknown'
  if (known.length === 0) return 'none'
  return known.includes(model) ? 'ready' : 'elsewhere'
}
