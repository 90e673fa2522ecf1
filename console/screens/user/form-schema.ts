import { z } from 'zod'
import type { UserChange, UserDraft } from '#contract/accounts/user-management.ts'
import {
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  USERNAME_LENGTH_MAX,
  type User,
} from '#contract/accounts/users.ts'
import { QUOTA_MAX } from '#contract/fields.ts'
import type { Translate } from '../../ui/text/text.ts'
import type { text } from './text.ts'

type UserTranslate = Translate<keyof typeof text.zh>

const DISPLAY_NAME_LENGTH_MAX = 20
const WHOLE = /^\d{1,15}$/
const SIGNED = /^-?\d{1,15}$/

/** What stands in the form of a stored user, as it was typed. */
export const UserFormValues = z.object({
  username: z.string(),
  displayName: z.string(),
  password: z.string(),
  group: z.string(),
  quota: z.string(),
  reason: z.string(),
})
export type UserFormValues = z.infer<typeof UserFormValues>

export const NEW_USER: UserFormValues = {
  username: '',
  displayName: '',
  password: '',
  group: '',
  quota: '0',
  reason: '',
}

export const toFormValues = (user: User): UserFormValues => ({
  ...NEW_USER,
  username: user.username,
  displayName: user.display_name,
  group: user.group,
  quota: String(user.quota),
})

export const withoutPassword = (values: UserFormValues): UserFormValues => ({ ...values, password: '' })

const isLongEnough = (password: string): boolean => password.length >= PASSWORD_LENGTH_MIN

/** The form's rules. `seen` is the balance that stood there first: one below 0 may stay as it is. */
export const userFormSchema = (
  t: UserTranslate,
  { isNew, seen }: { readonly isNew: boolean; readonly seen: string },
) =>
  z.object({
    username: z
      .string()
      .trim()
      .min(1, t(isNew ? 'credentialsNeeded' : 'usernameNeeded'))
      .max(USERNAME_LENGTH_MAX, t('usernameLong', { most: USERNAME_LENGTH_MAX }))
      .refine(name => !/\s/.test(name), t('usernameSpaces')),
    displayName: z
      .string()
      .trim()
      .max(DISPLAY_NAME_LENGTH_MAX, t('displayNameLong', { most: DISPLAY_NAME_LENGTH_MAX })),
    password: z
      .string()
      .refine(password => !isNew || password !== '', t('credentialsNeeded'))
      .refine(password => password === '' || isLongEnough(password), t('passwordShort'))
      .max(PASSWORD_LENGTH_MAX, t('passwordLong')),
    group: z.string(),
    quota: z.string().refine(quota => quota === seen || WHOLE.test(quota.trim()), t('quotaBad')),
    reason: z.string().trim().max(200),
  })

/** What a new user is made of. The values must have passed the schema. */
export const toUserDraft = (values: UserFormValues): UserDraft => ({
  username: values.username.trim(),
  display_name: values.displayName.trim(),
  password: values.password,
})

/** What is sent of a changed user. A balance is sent with the one that was seen, so that the difference counts. */
export const toUserChange = (user: User, values: UserFormValues): UserChange => ({
  id: user.id,
  username: values.username.trim(),
  display_name: values.displayName.trim(),
  group: values.group,
  ...(values.password === '' ? {} : { password: values.password }),
  ...(Number(values.quota) === user.quota
    ? {}
    : { quota: Number(values.quota), quota_seen: user.quota, reason: values.reason.trim() }),
})

/** What is wrong with an amount to add to `balance`; undefined when nothing is. */
export function findAmountProblem(
  typed: string,
  balance: number,
): 'quotaAmountBad' | 'quotaTooLow' | undefined {
  const amount = Number(typed)
  if (!SIGNED.test(typed.trim()) || amount === 0 || Math.abs(amount) > QUOTA_MAX) return 'quotaAmountBad'
  return balance + amount < 0 ? 'quotaTooLow' : undefined
}
