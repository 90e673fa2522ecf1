import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { logoutByPost } from '#contract/session.ts'
import { useText } from '../ui/text.ts'
import { toast } from '../ui/toast.ts'
import { appText } from './app-text.ts'
import { call } from './call.ts'
import { errorText } from './call-error.ts'
import { forgetUser } from './session.ts'

/** Ends the session on the server and here, and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const t = useText(appText)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return async () => {
    try {
      await call(logoutByPost, {})
    } catch (error) {
      toast('error', errorText(error))
      return
    }
    forgetUser()
    queryClient.removeQueries({ predicate: query => query.queryKey[0] !== 'status' })
    toast('success', t('logoutDone'))
    await navigate({ to: '/login' })
  }
}
