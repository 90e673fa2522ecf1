import { queryOptions } from '@tanstack/react-query'
import { getAbout } from '#contract/status.ts'
import { call } from '../../app/api/call.ts'

const CONTENT_FRESH_MS = 10 * 60_000

export const aboutQuery = queryOptions({
  queryKey: ['about'],
  queryFn: ({ signal }) => call(getAbout, { signal }),
  staleTime: CONTENT_FRESH_MS,
})
