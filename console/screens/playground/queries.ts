import { queryOptions } from '@tanstack/react-query'
import { type LogEntry, listSelfLogs } from '#contract/logs/logs.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import { listPricing } from '#contract/billing/pricing.ts'
import { call } from '../../app/api/call.ts'
import { callStream, type EventStream } from '../../app/api/call-stream.ts'
import type { ChatBody } from './build-body.ts'

const CHOICES_FRESH_MS = 30 * 60_000
const ROW_FRESH_MS = 24 * 3_600_000
const ROW_CHECK_MS = 1500
const ROW_CHECKS_MAX = 5

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => call(listSelfGroups, { signal }),
  staleTime: CHOICES_FRESH_MS,
})

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(listUserModels, { signal }),
  staleTime: CHOICES_FRESH_MS,
})

/** Which groups serve which model. */
export const servedQuery = queryOptions({
  queryKey: ['playground', 'served'],
  queryFn: ({ signal }) => call(listPricing, { signal }),
  staleTime: CHOICES_FRESH_MS,
})

/** The log row of one answer: what it used and cost. Null while it is not written. */
export const answerRowQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['playground', 'row', requestId],
    queryFn: async ({ signal }): Promise<LogEntry | null> => {
      const { items } = await call(listSelfLogs, { query: { request_id: requestId }, signal })
      return items[0] ?? null
    },
    staleTime: query => (query.state.data ? ROW_FRESH_MS : 0),
    refetchInterval: query =>
      query.state.data || query.state.dataUpdateCount >= ROW_CHECKS_MAX ? false : ROW_CHECK_MS,
  })

/** Asks for an answer, event by event. */
export const openAnswer = (body: ChatBody, signal: AbortSignal): Promise<EventStream> =>
  callStream('/pg/chat/completions', body, signal)
