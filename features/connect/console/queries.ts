import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { withoutKey } from '#console/app/api/token-keys.ts'
import { getToken, listTokens, type Token } from '#contract/entities/token.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'

const TOKENS_MAX = 100
const FIRST_REQUEST_POLL_MS = 3000

/** The user's tokens that can be used now, newest first. */
export const usableTokensQuery = queryOptions({
  queryKey: ['tokens', 'usable'],
  queryFn: async ({ signal }) => {
    const query = { p: 0, size: TOKENS_MAX, status: TOKEN_STATUS.enabled }
    return (await call(listTokens, { query, signal })).map(withoutKey)
  },
})

/** Whether a request has used the token since it was loaded; polled until then. Times are whole seconds, so the quota counts too. */
export const requestArrivedQuery = ({ id, accessed_time: accessedBefore, used_quota: usedBefore }: Token) =>
  queryOptions({
    queryKey: ['token', id, 'request-since', accessedBefore, usedBefore],
    queryFn: async ({ signal }) => {
      const { accessed_time, used_quota } = await call(getToken, { params: { id }, signal })
      return accessed_time > accessedBefore || used_quota > usedBefore
    },
    refetchInterval: query => (query.state.data === true ? false : FIRST_REQUEST_POLL_MS),
    gcTime: 0,
  })
