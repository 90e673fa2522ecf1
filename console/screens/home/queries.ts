import { queryOptions } from '@tanstack/react-query'
import { getHomePageContent } from '#contract/status.ts'
import { call } from '../../app/api/call.ts'

const CONTENT_FRESH_MS = 10 * 60_000

export const homeContentQuery = queryOptions({
  queryKey: ['home-page-content'],
  queryFn: ({ signal }) => call(getHomePageContent, { signal }),
  staleTime: CONTENT_FRESH_MS,
})
