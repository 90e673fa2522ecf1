import { z } from 'zod'
import { RECORDS } from '../audited-records.ts'
import { endpoint, IdParams, ownRow } from '../endpoint.ts'
import { localizedError, numberField, textField } from '../fields.ts'
import { changesOf, viewOf } from './stored.ts'
import { UserFields, Username, UserRecord } from './user-fields.ts'

export const PASSWORD_LENGTH_MIN = 8
export const PASSWORD_LENGTH_MAX = 20

export const User = z
  .object({
    id: numberField('User id.', 7),
    ...viewOf(UserRecord),
    password: textField('Always empty.', ''),
    access_token: z.null().meta({ description: 'Always null: a token is shown only when it is created.' }),
    quota: numberField(
      'Balance in quota units (500,000 are one dollar by default); holds are already deducted.',
      1_250_000,
    ),
    DeletedAt: z.string().nullable().meta({
      description: 'When the account was deregistered (RFC 3339); null: it exists.',
      example: null,
    }),
    setting: textField(
      'Notification settings as JSON text, without the webhook secret; empty when unset.',
      '{"notify_type":"email","quota_warning_threshold":500000}',
    ),
  })
  .meta({ id: 'User', description: 'A user account.' })
export type User = z.infer<typeof User>

export const Password = z
  .string()
  .refine(
    ({ length }) => length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX,
    localizedError(
      `密码长度不得小于 ${PASSWORD_LENGTH_MIN} 位，且不得大于 ${PASSWORD_LENGTH_MAX} 位`,
      `a password has ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`,
    ),
  )

/** For the endpoints that people call before they are signed in. */
export const CaptchaQuery = z.object({
  turnstile: z.string().max(4096).optional().meta({
    description:
      'Turnstile response. Required when `TurnstileCheckEnabled` is on; valid for one call, and for the registration with the code that it had mailed.',
    example: '0.zR4…',
  }),
})

export const getSelf = endpoint({
  method: 'GET',
  path: '/api/user/self',
  role: 'user',
  organization: 'billing',
  isForEnrolment: true,
  summary: 'Get your account',
  reply: User,
})

const unsetWhenEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([z.literal(''), schema]).optional()

export const SelfChange = z.object({
  username: unsetWhenEmpty(Username).meta({ description: 'New user name.', example: 'alice' }),
  display_name: changesOf(UserFields).display_name,
  password: unsetWhenEmpty(Password).meta({
    format: 'password',
    description:
      'New password. Ends all sessions and the access token; the response carries the cookie of a new session.',
    example: 'correct-horse',
  }),
  original_password: z.string().max(200).optional().meta({
    format: 'password',
    description:
      'Current password. Required for a new name or password when you signed in over ten minutes ago.',
    example: 'battery-staple',
  }),
})
export type SelfChange = z.infer<typeof SelfChange>

export const updateSelf = endpoint({
  method: 'PUT',
  path: '/api/user/self',
  role: 'user',
  isForEnrolment: true,
  changes: RECORDS.user,
  changedRows: ownRow,
  audit: 'attempts',
  summary: 'Update your name or password',
  description: 'Fields that are absent or empty stay unchanged.',
  body: SelfChange,
})

export const getUser = endpoint({
  method: 'GET',
  path: '/api/user/:id',
  role: 'admin',
  summary: 'Get a user',
  description: 'Only users of a lower role, and yourself. Super administrators may read all.',
  params: IdParams,
  reply: User,
})

export const deleteSelf = endpoint({
  method: 'DELETE',
  path: '/api/user/self',
  role: 'user',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Deregister your account',
  needs: 'recent-sign-in',
  description: 'Cannot be undone.',
  body: z
    .object({
      username: z.string().max(200).optional().meta({
        description: 'Your user name, as a confirmation. Required (400 without it).',
        example: 'alice',
      }),
    })
    .optional(),
})

const resettingAccessToken = {
  path: '/api/user/token',
  role: 'user',
  audit: 'success',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Create a new access token for the management API',
  needs: 'recent-sign-in',
  description: 'The token is shown once and replaces the previous one.',
  reply: textField(
    'The access token, to be sent as `Authorization: Bearer`.',
    'Zb3fQ0mW8kXr2LhT9vNc5yJd7pSg1aEu',
  ),
} as const
export const resetAccessToken = endpoint({ method: 'GET', ...resettingAccessToken })
export const resetAccessTokenByPost = endpoint({ method: 'POST', ...resettingAccessToken })
