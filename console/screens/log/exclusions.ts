import type { LogFilters } from './queries.ts'
import type { LogSearch } from './search.ts'

/** What a value of a row can be chosen or left out by. */
export const FILTER_FIELDS = ['type', 'model', 'token', 'group', 'channel', 'user'] as const
export type FilterField = (typeof FILTER_FIELDS)[number]

/** Where the address says what is left out. */
export const LEFT_OUT = {
  type: 'not_type',
  model: 'not_model',
  token: 'not_token',
  group: 'not_group',
  channel: 'not_channel',
  user: 'not_user',
} as const satisfies Record<FilterField, keyof LogSearch>

type LeftOutName = (typeof LEFT_OUT)[FilterField]
type Change = Partial<Record<LeftOutName | Exclude<FilterField, 'type'>, string>>

/** The values of a field that are left out; in the address they stand one a line. */
export const leftOut = (search: LogSearch, field: FilterField): string[] =>
  search[LEFT_OUT[field]].split('\n').filter(value => value !== '')

export const withLeftOut = (field: FilterField, values: readonly string[]): Change => ({
  [LEFT_OUT[field]]: values.join('\n'),
})

/** Only rows with this value. */
export const onlyValue = (field: FilterField, value: string): Change => ({
  [field]: value,
  ...withLeftOut(field, []),
})

/** All rows but those with this value, beside what is left out already. */
export const allButValue = (search: LogSearch, field: FilterField, value: string): Change => ({
  ...withLeftOut(field, [...new Set([...leftOut(search, field), value])]),
  ...(search[field] === value && { [field]: '' }),
})

/** What the server is asked to leave out. Fields that leave nothing out are left out themselves. */
export function exclusionsOf(search: LogSearch): Partial<LogFilters> {
  const lines = (field: FilterField) => leftOut(search, field).join('\n')
  const commas = (field: FilterField) => leftOut(search, field).join(',')
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
