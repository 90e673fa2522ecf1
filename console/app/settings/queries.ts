import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { listOptions, putOptions } from '#contract/options/options.ts'
import { call } from '../api/call.ts'

export interface StoredOption {
  /** Empty for secrets. */
  readonly value: string
  readonly isSet: boolean
}

export type StoredOptions = ReadonlyMap<string, StoredOption>

export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: async ({ signal }): Promise<StoredOptions> => {
    const entries = await call(listOptions, { signal })
    return new Map(entries.map(({ key, value, is_set: isSet }) => [key, { value, isSet }]))
  },
  staleTime: Number.POSITIVE_INFINITY,
})

export const putOption = (key: string, value: string) => call(putOptions, { body: { key, value } })

/** Query keys whose data depends on options. */
const DEPENDENT_KEYS = [
  'options',
  'status',
  'groups',
  'group-names',
  'notice',
  'models',
  'pricing',
  'about',
  'home',
]

/** Invalidates all data that depends on options. */
export function useInvalidateOptions(): () => Promise<unknown> {
  const client = useQueryClient()
  return () => Promise.all(DEPENDENT_KEYS.map(key => client.invalidateQueries({ queryKey: [key] })))
}
