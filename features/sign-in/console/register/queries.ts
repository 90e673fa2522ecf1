import { useMutation } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { inviterCode } from '#console/app/sign-in/sign-in-methods.ts'
import { register } from '#features/account/contract.ts'
import { sendVerification } from '../../contract.ts'
import type { RegisterValues } from './form-schema.ts'

interface Verified {
  /** Turnstile token, when the human check is on. */
  readonly turnstile: string | undefined
}

/** Creates the account. The form shows errors. */
export function useRegister() {
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ values, turnstile }: Verified & { readonly values: RegisterValues }) => {
      const { username, password, password2, email, verificationCode } = values
      const aff = inviterCode()
      const body = {
        username: username.trim(),
        password,
        password2: password2,
        ...(email.trim() !== '' && { email: email.trim(), verification_code: verificationCode.trim() }),
        ...(aff !== '' && { aff_code: aff }),
      }
      return call(register, { query: { turnstile }, body })
    },
  })
}

/** Sends a verification code to an email address. */
export function useSendCode() {
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ email, turnstile }: Verified & { readonly email: string }) =>
      call(sendVerification, { query: { email: email.trim(), turnstile } }),
  })
}
