import type { LogEntry } from '#contract/logs/logs.ts'
import type { TimeSpan } from '../../app/time/ranges.ts'
import type { Tone } from '../../ui/data/badges.tsx'
import { toExclusionFilters, FILTER_FIELDS, EXCLUSION_PARAMS } from './exclusions.ts'
import type { LogFilters } from './queries.ts'
import type { LogSearch } from './search.ts'

export const LOG_TYPE = { topUp: 1, consumption: 2, management: 3, system: 4, failure: 5 } as const

type TypeTextKey = 'topUp' | 'consumption' | 'management' | 'system' | 'failure' | 'unknownType'

const TYPE_BADGES: Readonly<Record<number, readonly [TypeTextKey, Tone]>> = {
  [LOG_TYPE.topUp]: ['topUp', 'info'],
  [LOG_TYPE.consumption]: ['consumption', 'success'],
  [LOG_TYPE.management]: ['management', 'warning'],
  [LOG_TYPE.system]: ['system', 'neutral'],
  [LOG_TYPE.failure]: ['failure', 'danger'],
}

export const typeBadge = (type: number): readonly [TypeTextKey, Tone] =>
  TYPE_BADGES[type] ?? ['unknownType', 'unknown']

/** Rows about a request to a model: consumption, failures, and the type 0 that is shown like consumption. */
export const isRequest = ({ type }: LogEntry): boolean =>
  type === 0 || type === LOG_TYPE.consumption || type === LOG_TYPE.failure

/** Bands of the specification, in seconds: under 101 and 300. */
export function durationTone(seconds: number): Tone {
  if (seconds < 101) return 'success'
  return seconds < 300 ? 'warning' : 'danger'
}

/** Bands of the specification, in seconds: under 3 and 10. */
export function firstTokenTone(seconds: number): Tone {
  if (seconds < 3) return 'success'
  return seconds < 10 ? 'warning' : 'danger'
}

/** What the server is asked for. Fields that are off are left out. */
export function toLogFilters(search: LogSearch, { start, end }: TimeSpan): LogFilters {
  const { type, model, token, group, request, user, channel } = search
  return {
    start_timestamp: start,
    end_timestamp: end,
    ...(type !== '' && { type: Number(type) }),
    ...(model !== '' && { model_name: model }),
    ...(token !== '' && { token_name: token }),
    ...(group !== '' && { group }),
    ...(request !== '' && { request_id: request }),
    ...(user !== '' && { username: user }),
    ...(channel !== '' && { channel: Number(channel) }),
    ...toExclusionFilters(search),
  }
}

export const NO_FILTERS = {
  type: '',
  model: '',
  token: '',
  group: '',
  channel: '',
  user: '',
  request: '',
  not_type: '',
  not_model: '',
  not_token: '',
  not_group: '',
  not_channel: '',
  not_user: '',
} as const

/** How many filters besides range and request id are on. */
export const countActiveFilters = (search: LogSearch): number =>
  FILTER_FIELDS.flatMap(field => [search[field], search[EXCLUSION_PARAMS[field]]]).filter(value => value !== '')
    .length

export const parseModels = (model: string): string[] => model.split(',').filter(name => name !== '')
