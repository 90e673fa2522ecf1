import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type NotificationSetting, testSetting, updateSetting } from '#contract/accounts/account.ts'
import { type Binding, bindWechatByPost, unbind } from '#contract/accounts/oauth.ts'
import { deleteSelf, resetAccessTokenByPost, type SelfChange, updateSelf } from '#contract/accounts/users.ts'
import { bindEmailByPost, sendVerification } from '#contract/accounts/verification.ts'
import { listUserModels } from '#contract/models.ts'
import { call } from '../../../app/api/call.ts'

const STALE_AFTER_MS = 30 * 60_000

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(listUserModels, { signal }),
  staleTime: STALE_AFTER_MS,
})

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
