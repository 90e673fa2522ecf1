import { useMutation } from '@tanstack/react-query'
import { resetPassword } from '#contract/accounts/verification.ts'
import { call } from '../../app/api/call.ts'

/** Exchanges the emailed token for a new password. */
export function useResetPassword() {
  return useMutation({
    meta: { isQuiet: true },
    gcTime: 0,
    mutationFn: (body: { readonly email: string; readonly token: string }) => call(resetPassword, { body }),
  })
}
