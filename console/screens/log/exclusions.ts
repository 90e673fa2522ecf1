import type { LogFilters } from './queries.ts'
import type { LogSearch } from './search.ts'

/** What a value of a row can be chosen or left out by. */
export const FILTER_FIELDS = ['type', 'model', 'token', 'group', 'channel', 'user'] as const
export type FilterField = (typeof FILTER_FIELDS)[number]

/** Where the address says what is left out. */
export const EXCLUSION_PARAMS = {
  type: 'not_type',
  model: 'not_model',
  token: 'not_token',
  group: 'not_group',
  channel: 'not_channel',
  user: 'not_user',
} as const satisfies Record<FilterField, keyof LogSearch>

type ExclusionParam = (typeof EXCLUSION_PARAMS)[FilterField]
type FilterChange = Partial<Record<ExclusionParam | Exclude<FilterField, 'type'>, string>>

/** The values of a field that are left out; in the address they stand one a line. */
export const excludedValues = (search: LogSearch, field: FilterField): string[] =>
  search[EXCLUSION_PARAMS[field]].split('\n').filter(value => value !== '')

export const setExcluded = (field: FilterField, values: readonly string[]): FilterChange => ({
  [EXCLUSION_PARAMS[field]]: values.join('\n'),
})

/** Only rows with this value. */
export const includeOnly = (field: FilterField, value: string): FilterChange => ({
  [field]: value,
  ...setExcluded(field, []),
})

/** All rows but those with this value, beside what is left out already. */
export const exclude = (search: LogSearch, field: FilterField, value: string): FilterChange => ({
  ...setExcluded(field, [...new Set([...excludedValues(search, field), value])]),
  ...(search[field] === value && { [field]: '' }),
})

/** What the server is asked to leave out. Fields that leave nothing out are left out themselves. */
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
