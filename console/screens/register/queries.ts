import { useMutation } from '@tanstack/react-query'
import { register } from '#contract/accounts/account.ts'
import { sendVerification } from '#contract/accounts/verification.ts'
import { call } from '../../app/api/call.ts'
import { inviterCode } from '../../app/sign-in/sign-in-methods.ts'
import type { Entries } from './form-schema.ts'

interface Checked {
  /** The human check's token, when the check is on. */
  readonly turnstile: string | undefined
}

/** Makes the account. The form shows what the server refuses. */
export function useRegister() {
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ entries, turnstile }: Checked & { readonly entries: Entries }) => {
      const { username, password, repeat, email, code } = entries
      const aff = inviterCode()
      const body = {
        username: username.trim(),
        password,
        password2: repeat,
        ...(email.trim() !== '' && { email: email.trim(), verification_code: code.trim() }),
        ...(aff !== '' && { aff_code: aff }),
      }
      return call(register, { query: { turnstile }, body })
    },
  })
}

/** Has a code mailed to an address. */
export function useMailCode() {
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ email, turnstile }: Checked & { readonly email: string }) =>
      call(sendVerification, { query: { email: email.trim(), turnstile } }),
  })
}
