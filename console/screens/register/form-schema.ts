import { z } from 'zod'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, USERNAME_LENGTH_MAX } from '#contract/accounts/users.ts'
import type { text } from './text.ts'

/** What stands in the form. */
export interface Entries {
  readonly username: string
  readonly password: string
  readonly repeat: string
  readonly email: string
  readonly code: string
}

export const NO_ENTRIES: Entries = { username: '', password: '', repeat: '', email: '', code: '' }

type Word = keyof (typeof text)['zh']
export type Problems = Partial<Record<keyof Entries, Word>>

/** What is wrong with the entries. Mail and code count only where the installation asks for them. */
export function problemsIn(entries: Entries, needsMail: boolean): Problems {
  const found = {
    username: usernameProblem(entries.username.trim()),
    password: passwordProblem(entries.password),
    repeat: entries.repeat === entries.password ? undefined : ('passwordDiffers' as const),
    email: needsMail ? mailProblem(entries.email) : undefined,
    code: needsMail && entries.code.trim() === '' ? ('codeNeeded' as const) : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, word]) => word !== undefined))
}

function usernameProblem(username: string): Word | undefined {
  if (username === '') return 'missing'
  if ([...username].length > USERNAME_LENGTH_MAX) return 'usernameLong'
  return /\s/.test(username) ? 'usernameSpaces' : undefined
}

function passwordProblem(password: string): Word | undefined {
  if (password === '') return 'missing'
  if (password.length < PASSWORD_LENGTH_MIN) return 'passwordShort'
  return password.length > PASSWORD_LENGTH_MAX ? 'passwordLong' : undefined
}

export function mailProblem(email: string): Word | undefined {
  if (email.trim() === '') return 'emailNeeded'
  return z.email().safeParse(email.trim()).success ? undefined : 'emailWrong'
}
