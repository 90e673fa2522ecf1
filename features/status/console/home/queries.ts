import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { getHomePageContent } from '#contract/status.ts'

const CONTENT_FRESH_MS = 10 * 60_000

export const homeContentQuery = queryOptions({
  queryKey: ['home-page-content'],
  queryFn: ({ signal }) => call(getHomePageContent, { signal }),
  staleTime: CONTENT_FRESH_MS,
})
