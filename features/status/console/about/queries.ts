import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { getAbout } from '#contract/status.ts'

const CONTENT_FRESH_MS = 10 * 60_000

export const aboutQuery = queryOptions({
  queryKey: ['about'],
  queryFn: ({ signal }) => call(getAbout, { signal }),
  staleTime: CONTENT_FRESH_MS,
})
