import { queryOptions, useQuery } from '@tanstack/react-query'
import { listTokens } from '#contract/tokens.ts'
import { call } from '../call.ts'
import { useUser } from '../session.ts'
import { serverAddress, useStatus } from '../status.ts'
import { chatTarget } from './chat-target.ts'

const TOKENS_ASKED = 100

const tokensQuery = queryOptions({
  queryKey: ['tokens', 'for-chat'],
  queryFn: ({ signal }) => call(listTokens, { query: { p: 0, size: TOKENS_ASKED }, signal }),
})

/** Where the chat of this place leads; undefined while the tokens are on their way. */
export function useChatTarget(place: number) {
  const user = useUser()
  const status = useStatus()
  const { data: tokens, error, refetch } = useQuery({ ...tokensQuery, enabled: user !== undefined })
  const target = tokens && chatTarget(status, place, tokens, serverAddress(status))
  return { isGuest: user === undefined, target, error, refetch }
}
