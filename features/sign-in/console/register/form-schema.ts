import { z } from 'zod'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '#contract/entities/user.ts'
import { USERNAME_LENGTH_MAX } from '#contract/entities/user-fields.ts'
import type { text } from './text.ts'

/** Form values as typed. */
export interface RegisterValues {
  readonly username: string
  readonly password: string
  readonly password2: string
  readonly email: string
  readonly verificationCode: string
}

export const EMPTY_VALUES: RegisterValues = {
  username: '',
  password: '',
  password2: '',
  email: '',
  verificationCode: '',
}

type TextKey = keyof (typeof text)['zh']
export type FieldErrors = Partial<Record<keyof RegisterValues, TextKey>>

/** Validates the form. Email and code are required only when email verification is on. */
export function validate(values: RegisterValues, needsEmail: boolean): FieldErrors {
  const found = {
    username: validateUsername(values.username.trim()),
    password: validatePassword(values.password),
    password2: values.password2 === values.password ? undefined : ('passwordDiffers' as const),
    email: needsEmail ? validateEmail(values.email) : undefined,
    verificationCode:
      needsEmail && values.verificationCode.trim() === '' ? ('codeNeeded' as const) : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, word]) => word !== undefined))
}

function validateUsername(username: string): TextKey | undefined {
  if (username === '') return 'missing'
  if ([...username].length > USERNAME_LENGTH_MAX) return 'usernameLong'
  return /\s/.test(username) ? 'usernameSpaces' : undefined
}

function validatePassword(password: string): TextKey | undefined {
  if (password === '') return 'missing'
  if (password.length < PASSWORD_LENGTH_MIN) return 'passwordShort'
  return password.length > PASSWORD_LENGTH_MAX ? 'passwordLong' : undefined
}

export function validateEmail(email: string): TextKey | undefined {
  if (email.trim() === '') return 'emailNeeded'
  return z.email().safeParse(email.trim()).success ? undefined : 'emailWrong'
}
