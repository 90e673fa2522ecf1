import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { localTimeZone, nowSeconds } from '#console/app/format/format.tsx'
import { spanOfPreset } from '#console/app/time/ranges.ts'
import type { User } from '#contract/entities/user.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { deleteAccessToken, listAccessTokens } from '#features/access-tokens/contract.ts'
import { getAnalytics } from '#features/analytics/contract.ts'
import { listAuditLog } from '#features/audit-log/contract/audit-log.ts'
import { listOpenIdIdentities, removeOpenIdIdentity } from '#features/oauth/contract/identities.ts'
import { listFactorsOfUser, removeFactors } from '#features/second-factor/contract.ts'
import { endSession, endSessions, listSessions } from '#features/sessions/contract.ts'
import { getUserStatement } from '#features/statements/contract.ts'
import { listAllTokens, updateAllTokensStatus } from '#features/tokens/contract/all-tokens.ts'

/** What the page shows of longer lists. */
const ROWS_SHOWN = 10
const KEY = 'person'

const lastMonth = () => spanOfPreset('30d', nowSeconds())

/** Tokens of a user, newest first. A name of another user may contain the number, too. */
export const tokensQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, id, 'tokens'],
    queryFn: async ({ signal }) => {
      const query = { keyword: String(id), page_size: 100 }
      const { items } = await call(listAllTokens, { query, signal })
      return items.filter(token => token.user_id === id).slice(0, ROWS_SHOWN)
    },
  })

export const statementQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, id, 'statement'],
    queryFn: ({ signal }) => {
      const { start, end } = lastMonth()
      const query = { start_timestamp: start, end_timestamp: end, time_zone: localTimeZone() }
      return call(getUserStatement, { params: { id }, query, signal })
    },
  })

export const usageQuery = ({ id, username }: Pick<User, 'id' | 'username'>) =>
  queryOptions({
    queryKey: [KEY, id, 'usage'],
    queryFn: ({ signal }) => {
      const { start, end } = lastMonth()
      const period = { start_timestamp: start, end_timestamp: end, time_zone: localTimeZone() }
      const query = { ...period, username, by: 'model', measure: 'revenue', limit: ROWS_SHOWN } as const
      return call(getAnalytics, { query, signal })
    },
  })

export const sessionsQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, id, 'sessions'],
    queryFn: ({ signal }) => call(listSessions, { params: { id }, signal }),
  })

export const accessTokensQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, id, 'access-tokens'],
    queryFn: async ({ signal }) => (await call(listAccessTokens, { params: { id }, signal })).items,
  })

export const factorsQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, id, 'factors'],
    queryFn: ({ signal }) => call(listFactorsOfUser, { params: { id }, signal }),
  })

export const identitiesQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, id, 'identities'],
    queryFn: ({ signal }) => call(listOpenIdIdentities, { params: { id }, signal }),
  })

/** What was changed of the user, and by the user. */
export const historyQuery = (id: number, whose: 'of' | 'by') =>
  queryOptions({
    queryKey: [KEY, id, 'history', whose],
    queryFn: async ({ signal }) => {
      const filter = whose === 'of' ? { kind: 'user', target: String(id) } : { actor: String(id) }
      return (await call(listAuditLog, { query: { ...filter, page_size: ROWS_SHOWN }, signal })).items
    },
  })

/** Mutations. Each refreshes what the page shows. */
export function usePersonChanges(id: number) {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: [KEY, id] })
  const switchToken = useMutation({
    mutationFn: async ({ token, isOn }: { readonly token: number; readonly isOn: boolean }) => {
      const status = isOn ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled
      const [row] = await call(updateAllTokensStatus, { body: { ids: [token], status } })
      if (row && !row.success) throw new Error(row.message)
    },
    onSettled,
  })
  const end = useMutation({
    mutationFn: (session: string | undefined) =>
      session === undefined
        ? call(endSessions, { params: { id } })
        : call(endSession, { params: { id, session } }),
    onSettled,
  })
  const removeToken = useMutation({
    mutationFn: (token: string) => call(deleteAccessToken, { params: { id, token } }),
    onSettled,
  })
  const removeAllFactors = useMutation({
    mutationFn: () => call(removeFactors, { params: { id } }),
    onSettled,
  })
  const removeIdentity = useMutation({
    mutationFn: (slug: string) => call(removeOpenIdIdentity, { params: { id, slug } }),
    onSettled,
  })
  return { switchToken, end, removeToken, removeAllFactors, removeIdentity }
}
