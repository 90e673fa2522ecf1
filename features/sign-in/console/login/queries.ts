import { useMutation } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { rememberUser } from '#console/app/session/session.ts'
import { login } from '#contract/accounts/session.ts'

export interface LoginInput {
  readonly username: string
  readonly password: string
  /** Turnstile token, when the human check is on. */
  readonly turnstile?: string | undefined
}

/** Signs in and stores the user. The form shows errors. */
export function useLogin() {
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ username, password, turnstile }: LoginInput) =>
      call(login, { query: { turnstile }, body: { username, password } }),
    onSuccess: rememberUser,
  })
}
