import { useMutation } from '@tanstack/react-query'
import { login } from '#contract/accounts/session.ts'
import { call } from '../../app/api/call.ts'
import { rememberUser } from '../../app/session/session.ts'

export interface LoginInput {
  readonly username: string
  readonly password: string
  /** The human check's token, when the check is on. */
  readonly turnstile?: string | undefined
}

/** Signs in and remembers who it is. The form shows what the server refuses. */
export function useLogin() {
  return useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ username, password, turnstile }: LoginInput) =>
      call(login, { query: { turnstile }, body: { username, password } }),
    onSuccess: rememberUser,
  })
}
