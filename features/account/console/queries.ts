import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { nowSeconds } from '#console/app/format/format.tsx'
import { type Binding, bindWechatByPost, unbind } from '#contract/accounts/oauth.ts'
import { PAGE_SIZE_MAX } from '#contract/endpoint.ts'
import { listTokens, type Token, updateTokensBatch } from '#contract/entities/token.ts'
import { deleteSelf, resetAccessTokenByPost, type SelfChange, updateSelf } from '#contract/entities/user.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { listUserModels } from '#contract/models.ts'
import { bindEmailByPost, sendVerification } from '#features/sign-in/contract.ts'
import { type NotificationSetting, testSetting, updateSetting } from '../contract.ts'

const STALE_AFTER_MS = 30 * 60_000

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(listUserModels, { signal }),
  staleTime: STALE_AFTER_MS,
})

export const RECENT_TOKEN_DAYS = 30
const DAY_SECONDS = 86_400

/** Working tokens of the last days, the newest first, one page at most. */
export async function fetchRecentTokens(): Promise<readonly Token[]> {
  const tokens = await call(listTokens, {
    query: { status: TOKEN_STATUS.enabled, sort: 'created_time', order: 'desc', size: PAGE_SIZE_MAX },
  })
  const since = nowSeconds() - RECENT_TOKEN_DAYS * DAY_SECONDS
  return tokens.filter(token => token.created_time >= since)
}

export const disableTokens = (ids: readonly number[]) =>
  call(updateTokensBatch, { body: { ids: [...ids], status: TOKEN_STATUS.disabled } })

/** Mutations of the user's own account. Forms show their errors themselves. */
export function useSelfMutations() {
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: ['self'] })
  const common = { meta: { isQuiet: true }, onSettled: refresh }
  const updateProfile = useMutation({
    ...common,
    mutationFn: (body: SelfChange) => call(updateSelf, { body }),
  })
  const resetToken = useMutation({ mutationFn: () => call(resetAccessTokenByPost, {}) })
  const deleteAccount = useMutation({
    mutationFn: (username: string) => call(deleteSelf, { body: { username } }),
  })
  const updateNotifications = useMutation({
    ...common,
    mutationFn: (body: NotificationSetting) => call(updateSetting, { body }),
  })
  const sendTestNotification = useMutation({
    meta: { isQuiet: true },
    mutationFn: () => call(testSetting, {}),
  })
  const unbindAccount = useMutation({
    onSettled: refresh,
    mutationFn: (binding: Binding) => call(unbind, { body: { binding } }),
  })
  const bindWechat = useMutation({
    ...common,
    mutationFn: (code: string) => call(bindWechatByPost, { body: { code } }),
  })
  const sendCode = useMutation({
    meta: { isQuiet: true },
    mutationFn: (query: { readonly email: string; readonly turnstile?: string }) =>
      call(sendVerification, { query }),
  })
  const bindEmail = useMutation({
    ...common,
    mutationFn: (body: { readonly email: string; readonly code: string }) => call(bindEmailByPost, { body }),
  })
  return {
    updateProfile,
    resetToken,
    deleteAccount,
    updateNotifications,
    sendTestNotification,
    unbindAccount,
    bindWechat,
    sendCode,
    bindEmail,
  }
}
