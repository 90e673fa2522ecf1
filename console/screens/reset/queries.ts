import { useMutation } from '@tanstack/react-query'
import { sendReset } from '#contract/accounts/verification.ts'
import { call } from '../../app/api/call.ts'

interface ResetInput {
  readonly email: string
  /** The human check's token, when the check is on. */
  readonly turnstile: string | undefined
}

/** Has a link for a new password mailed. */
export function useSendReset() {
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ email, turnstile }: ResetInput) => call(sendReset, { query: { email, turnstile } }),
  })
}
