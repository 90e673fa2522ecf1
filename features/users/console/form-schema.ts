import { z } from 'zod'
import {
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  USERNAME_LENGTH_MAX,
  type User,
} from '#contract/entities/user.ts'
import type { UserChange, UserDraft } from '#contract/entities/user-management.ts'
import { QUOTA_MAX } from '#contract/fields.ts'
import type { ScreenTranslate } from './text.ts'

const DISPLAY_NAME_LENGTH_MAX = 20
const WHOLE = /^\d{1,15}$/
const SIGNED = /^-?\d{1,15}$/

/** The values of the user form, under the contract's field names. The quota is text as it was typed. */
export const UserFormValues = z.object({
  username: z.string(),
  display_name: z.string(),
  password: z.string(),
  group: z.string(),
  quota: z.string(),
  reason: z.string(),
})
export type UserFormValues = z.infer<typeof UserFormValues>

export const NEW_USER: UserFormValues = {
  username: '',
  display_name: '',
  password: '',
  group: '',
  quota: '0',
  reason: '',
}

export const toFormValues = (user: User): UserFormValues => ({
  username: user.username,
  display_name: user.display_name,
  password: '',
  group: user.group,
  quota: String(user.quota),
  reason: '',
})

export const withoutPassword = (values: UserFormValues): UserFormValues => ({ ...values, password: '' })

const isLongEnough = (password: string): boolean => password.length >= PASSWORD_LENGTH_MIN

interface UserFormRules {
  readonly isNew: boolean
  readonly initialQuota: string
}

/** The rules of the form. A balance below 0 is valid only while it is still the initial one. */
export const userFormSchema = (t: ScreenTranslate, { isNew, initialQuota }: UserFormRules) =>
  z.object({
    username: z
      .string()
      .trim()
      .min(1, t(isNew ? 'credentialsNeeded' : 'usernameNeeded'))
      .max(USERNAME_LENGTH_MAX, t('usernameLong', { most: USERNAME_LENGTH_MAX }))
      .refine(name => !/\s/.test(name), t('usernameSpaces')),
    display_name: z
      .string()
      .trim()
      .max(DISPLAY_NAME_LENGTH_MAX, t('display_name_long', { most: DISPLAY_NAME_LENGTH_MAX })),
    password: z
      .string()
      .refine(password => !isNew || password !== '', t('credentialsNeeded'))
      .refine(password => password === '' || isLongEnough(password), t('passwordShort'))
      .max(PASSWORD_LENGTH_MAX, t('passwordLong')),
    group: z.string(),
    quota: z.string().refine(quota => quota === initialQuota || WHOLE.test(quota.trim()), t('quotaBad')),
    reason: z.string().trim().max(200),
  })

/** The request body of a new user. The values must have passed the schema. */
export const toUserDraft = (values: UserFormValues): UserDraft => ({
  username: values.username.trim(),
  display_name: values.display_name.trim(),
  password: values.password,
})

/** The request body of a change. A new balance is sent with the initial one, so that the server applies the difference. */
export const toUserChange = (user: User, values: UserFormValues): UserChange => ({
  id: user.id,
  username: values.username.trim(),
  display_name: values.display_name.trim(),
  group: values.group,
  ...(values.password === '' ? {} : { password: values.password }),
  ...(Number(values.quota) === user.quota
    ? {}
    : { quota: Number(values.quota), quota_seen: user.quota, reason: values.reason.trim() }),
})

/** The text key of the problem with an amount to add to `balance`; undefined when it is valid. */
export function findAmountProblem(
  typed: string,
  balance: number,
): 'quotaAmountBad' | 'quotaTooLow' | undefined {
  const amount = Number(typed)
  if (!SIGNED.test(typed.trim()) || amount === 0 || Math.abs(amount) > QUOTA_MAX) return 'quotaAmountBad'
  return balance + amount < 0 ? 'quotaTooLow' : undefined
}
