import { useMutation } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { resetPassword } from '../../contract.ts'

/** Exchanges the emailed token for a new password. */
export function useResetPassword() {
  return useMutation({
    meta: { isQuiet: true },
    gcTime: 0,
    mutationFn: (body: { readonly email: string; readonly token: string }) => call(resetPassword, { body }),
  })
}
