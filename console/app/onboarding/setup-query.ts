import { queryOptions } from '@tanstack/react-query'
import { getSetup } from '#contract/options/options.ts'
import { call } from '../api/call.ts'

/** How far a new installation is set up. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call(getSetup, { signal }),
})
