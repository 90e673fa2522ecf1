import { z } from 'zod'
import { formOf } from '#console/app/forms/form-of.ts'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, type User } from '#contract/entities/user.ts'
import { USERNAME_LENGTH_MAX, UserFields } from '#contract/entities/user-fields.ts'
import { QUOTA_MAX } from '#contract/fields.ts'
import type { UserChange, UserDraft } from '../contract.ts'
import type { ScreenTranslate } from './text.ts'

const WHOLE = /^\d{1,15}$/
const SIGNED = /^-?\d{1,15}$/

const plain = formOf(UserFields.omit({ username: true }))

/** The values of the user form, under the contract's field names. Numbers are text as it was typed. */
export const UserFormValues = z.object({
  username: z.string(),
  ...plain.values,
  password: z.string(),
  quota: z.string(),
  reason: z.string(),
})
export type UserFormValues = z.infer<typeof UserFormValues>

export const NEW_USER: UserFormValues = {
  ...plain.start,
  username: '',
  password: '',
  quota: '0',
  reason: '',
}

export const toFormValues = (user: User): UserFormValues => ({
  ...plain.fromRecord(user),
  username: user.username,
  password: '',
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
    ...plain.rules,
    username: z
      .string()
      .trim()
      .min(1, t(isNew ? 'credentialsNeeded' : 'usernameNeeded'))
      .max(USERNAME_LENGTH_MAX, t('usernameLong', { most: USERNAME_LENGTH_MAX }))
      .refine(name => !/\s/.test(name), t('usernameSpaces')),
    password: z
      .string()
      .refine(password => !isNew || password !== '', t('credentialsNeeded'))
      .refine(password => password === '' || isLongEnough(password), t('passwordShort'))
      .max(PASSWORD_LENGTH_MAX, t('passwordLong')),
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
  ...plain.toFields(values),
  id: user.id,
  username: values.username.trim(),
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
