import { queryOptions } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { logoutByPost } from '#contract/accounts/session.ts'
import { getSelf } from '#contract/entities/user.ts'
import { toast } from '../../ui/overlays/messages.tsx'
import { call, errorText } from '../api/call.ts'
import { takeFromStart } from '../api/start.ts'
import { useAppText } from '../app-text.ts'
import { dropDrafts } from '../forms/drafts.ts'
import { currentUser, forgetUser } from './session.ts'
import { takeSignOutUrl } from './sign-out-url.ts'
import { dropUserData } from './user-storage.ts'

const STALE_AFTER_MS = 30_000

/** The signed-in user with the balance. Refetched after redeeming, paying and saving. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: async ({ signal }) => {
    const self = await takeFromStart('self')
    return self && self.id === currentUser()?.id ? self : call(getSelf, { signal })
  },
  staleTime: STALE_AFTER_MS,
})

/** Ends the session on the server and in this browser, then opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const t = useAppText()
  const navigate = useNavigate()
  return async () => {
    try {
      await call(logoutByPost, {})
    } catch (error) {
      toast('error', errorText(error))
      return
    }
    forgetUser()
    dropDrafts()
    dropUserData()
    toast('success', t('logoutDone'))
    const url = takeSignOutUrl()
    if (url === undefined) await navigate({ to: '/login' })
    else window.location.assign(url)
  }
}
