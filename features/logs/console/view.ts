import { useMemo, useState } from 'react'
import { useListSearchParams } from '#console/app/list/list-page.tsx'
import { readStored, writeStored } from '#console/app/preferences/local-store.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { useTimeRange } from '#console/app/time/range-filter.tsx'
import { RANGE_DEFAULT, RANGES, type Range, type TimeSpan } from '#console/app/time/ranges.ts'
import type { LogFilters, LogView } from './queries.ts'
import { LogSearch } from './search-params.ts'

const LIVE_POLL_MS = 3000

/** The URL state of the log and the view that follows from it. */
export function useLogView() {
  const url = useListSearchParams(LogSearch)
  const isAdmin = hasRole(useUser(), 'admin')
  const { search } = url
  const [initialRange] = useState(storedRange)
  const timeRange = useTimeRange(search, initialRange)
  const { span } = timeRange
  const view: LogView = useMemo(
    () => ({
      isAdmin,
      filters: toLogFilters(search, span),
      pollMs: search.live === '1' ? LIVE_POLL_MS : false,
    }),
    [isAdmin, search, span],
  )
  return { ...url, ...timeRange, isAdmin, view }
}

export type LogUrl = ReturnType<typeof useLogView>

/** The last chosen preset, stored in this browser. */
const storedRange = (): Range => RANGES.find(range => range === readStored('log-range')) ?? RANGE_DEFAULT

export const storeRange = (range: Range): void => void writeStored('log-range', range)

/** The fields of an entry whose values can be filtered or excluded. */
export const FILTER_FIELDS = ['type', 'model', 'token', 'group', 'channel', 'user'] as const
export type FilterField = (typeof FILTER_FIELDS)[number]

/** The search parameter that holds the excluded values of a field. */
const EXCLUSION_PARAMS = {
  type: 'not_type',
  model: 'not_model',
  token: 'not_token',
  group: 'not_group',
  channel: 'not_channel',
  user: 'not_user',
} as const satisfies Record<FilterField, keyof LogSearch>

type ExclusionParam = (typeof EXCLUSION_PARAMS)[FilterField]
type FilterChange = Partial<Record<ExclusionParam | Exclude<FilterField, 'type'>, string>>

/** Clears all filters except the time range. */
export const NO_FILTERS = {
  type: '',
  model: '',
  token: '',
  group: '',
  channel: '',
  user: '',
  request: '',
  tag: '',
  error: '',
  not_type: '',
  not_model: '',
  not_token: '',
  not_group: '',
  not_channel: '',
  not_user: '',
} as const

/** The number of active filters, without the time range and the request id. */
export const countActiveFilters = (search: LogSearch): number =>
  [
    search.error,
    search.tag,
    ...FILTER_FIELDS.flatMap(field => [search[field], search[EXCLUSION_PARAMS[field]]]),
  ].filter(value => value !== '').length

/** The errors that are filtered by. The URL holds one per line, because providers choose the codes. */
export const parseErrors = (error: string): string[] => error.split('\n').filter(name => name !== '')

export const parseModels = (model: string): string[] => model.split(',').filter(name => name !== '')

/** The excluded values of a field. The URL holds one per line, because names may contain commas. */
export const excludedValues = (search: LogSearch, field: FilterField): string[] =>
  search[EXCLUSION_PARAMS[field]].split('\n').filter(value => value !== '')

export const setExcluded = (field: FilterField, values: readonly string[]): FilterChange => ({
  [EXCLUSION_PARAMS[field]]: values.join('\n'),
})

/** Filters by one value and drops the exclusions of its field. */
export const includeOnly = (field: FilterField, value: string): FilterChange => ({
  [field]: value,
  ...setExcluded(field, []),
})

/** Filters by one error. All failed requests stand in for those without a recorded error. */
export const includeError = (
  error: string,
): Pick<LogSearch, 'error' | 'type'> & { readonly p: undefined } => ({
  error,
  type: error === '' ? '5' : '',
  p: undefined,
})

/** Adds a value to the exclusions of its field. A filter for the same value is dropped. */
export const exclude = (search: LogSearch, field: FilterField, value: string): FilterChange => ({
  ...setExcluded(field, [...new Set([...excludedValues(search, field), value])]),
  ...(search[field] === value && { [field]: '' }),
})

/** The filters of an API call. Inactive filters are omitted. */
export function toLogFilters(search: LogSearch, { start, end }: TimeSpan): LogFilters {
  const { type, model, token, group, request, tag, error, user, channel } = search
  return {
    start_timestamp: start,
    end_timestamp: end,
    ...(type !== '' && { type: Number(type) }),
    ...(model !== '' && { model_name: model }),
    ...(token !== '' && { token_name: token }),
    ...(group !== '' && { group }),
    ...(request !== '' && { request_id: request }),
    ...(tag !== '' && { tag }),
    ...(error !== '' && { error }),
    ...(user !== '' && { username: user }),
    ...(channel !== '' && { channel: Number(channel) }),
    ...toExclusionFilters(search),
  }
}

/** The exclusions of an API call. The API separates types, models and channels with commas, names with newlines. */
export function toExclusionFilters(search: LogSearch): Partial<LogFilters> {
  const lines = (field: FilterField) => excludedValues(search, field).join('\n')
  const commas = (field: FilterField) => excludedValues(search, field).join(',')
  const all = {
    not_type: commas('type'),
    not_model_name: commas('model'),
    not_token_name: lines('token'),
    not_group: lines('group'),
    not_channel: commas('channel'),
    not_username: lines('user'),
  }
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ''))
}
