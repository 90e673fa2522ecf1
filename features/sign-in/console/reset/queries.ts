import { useMutation } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { sendReset } from '../../contract.ts'

interface ResetInput {
  readonly email: string
  /** Turnstile token, when the human check is on. */
  readonly turnstile: string | undefined
}

/** Sends an email with a reset link. */
export function useSendReset() {
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ email, turnstile }: ResetInput) => call(sendReset, { query: { email, turnstile } }),
  })
}
