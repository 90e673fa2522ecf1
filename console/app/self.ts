import { queryOptions } from '@tanstack/react-query'
import { getSelf } from '#contract/users.ts'
import { call } from './call.ts'

const SELF_FRESH_MS = 30_000

/** Who is signed in, with the balance. Refetched after redeeming, paying and saving. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => call(getSelf, { signal }),
  staleTime: SELF_FRESH_MS,
})
