import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type NotificationSetting, testSetting, updateSetting } from '#contract/accounts/account.ts'
import { type Binding, bindWechatByPost, unbind } from '#contract/accounts/oauth.ts'
import { deleteSelf, resetAccessTokenByPost, type SelfChange, updateSelf } from '#contract/accounts/users.ts'
import { bindEmailByPost, sendVerification } from '#contract/accounts/verification.ts'
import { listUserModels } from '#contract/models.ts'
import { call } from '../../../app/api/call.ts'

const CHOICES_FRESH_MS = 30 * 60_000

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(listUserModels, { signal }),
  staleTime: CHOICES_FRESH_MS,
})

/** Writes to the own account. Forms show refusals themselves. */
export function useSelfWrites() {
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: ['self'] })
  const common = { meta: { isQuiet: true }, onSettled: refresh }
  const change = useMutation({
    ...common,
    mutationFn: (body: SelfChange) => call(updateSelf, { body }),
  })
  const makeToken = useMutation({ mutationFn: () => call(resetAccessTokenByPost, {}) })
  const remove = useMutation({ mutationFn: (username: string) => call(deleteSelf, { body: { username } }) })
  const notify = useMutation({
    ...common,
    mutationFn: (body: NotificationSetting) => call(updateSetting, { body }),
  })
  const tryNotice = useMutation({ meta: { isQuiet: true }, mutationFn: () => call(testSetting, {}) })
  const takeOff = useMutation({
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
  return { change, makeToken, remove, notify, tryNotice, takeOff, bindWechat, sendCode, bindEmail }
}
