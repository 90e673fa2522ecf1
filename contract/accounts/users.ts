import { z } from 'zod'
import { endpoint, IdParams } from '../endpoint.ts'
import { localizedError } from '../fields.ts'

export const USERNAME_LENGTH_MAX = 12
export const PASSWORD_LENGTH_MIN = 8
export const PASSWORD_LENGTH_MAX = 20
const DISPLAY_NAME_LENGTH_MAX = 20

/** Role numbers on the wire: 1 user, 10 administrator, 100 super administrator. Status: 1 enabled, 2 banned. */
export const User = z.object({
  id: z.number(),
  username: z.string(),
  /** Always empty. */
  password: z.string(),
  display_name: z.string(),
  role: z.number(),
  status: z.number(),
  email: z.string(),
  github_id: z.string(),
  linux_do_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  /** Always null: an access token is shown once, when it is made. */
  access_token: z.null(),
  /** Free balance in quota units. */
  quota: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
  group: z.string(),
  aff_code: z.string(),
  aff_count: z.number(),
  aff_quota: z.number(),
  aff_history_quota: z.number(),
  inviter_id: z.number(),
  DeletedAt: z.string().nullable(),
  /** JSON text of the notification settings, without their secret. */
  setting: z.string(),
  /** The password was made by the gateway and shown in its log: the console asks for a new one. */
  must_change_password: z.boolean(),
})
export type User = z.infer<typeof User>

export const Username = z
  .string()
  .trim()
  .refine(
    name => name !== '' && name.length <= USERNAME_LENGTH_MAX,
    localizedError(
      `用户名长度应为 1 到 ${USERNAME_LENGTH_MAX} 个字符`,
      `a username has 1 to ${USERNAME_LENGTH_MAX} characters`,
    ),
  )
  .refine(
    name => /^[^\s\p{C}]*$/u.test(name),
    localizedError('用户名不能包含空格', 'a username has no spaces'),
  )
export const Password = z
  .string()
  .refine(
    ({ length }) => length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX,
    localizedError(
      `密码长度不得小于 ${PASSWORD_LENGTH_MIN} 位，且不得大于 ${PASSWORD_LENGTH_MAX} 位`,
      `a password has ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`,
    ),
  )
export const DisplayName = z.string().trim().max(DISPLAY_NAME_LENGTH_MAX)

export const getSelf = endpoint({
  method: 'GET',
  path: '/api/user/self',
  role: 'user',
  summary: 'Who is signed in, with the balance',
  reply: User,
})

const unsetWhenEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([z.literal(''), schema]).optional()

export const SelfChange = z.object({
  username: unsetWhenEmpty(Username),
  display_name: unsetWhenEmpty(DisplayName),
  password: unsetWhenEmpty(Password),
  /** Needed for a new name or password when the sign-in is not recent. */
  original_password: z.string().max(200).optional(),
})

export type SelfChange = z.infer<typeof SelfChange>

export const updateSelf = endpoint({
  method: 'PUT',
  path: '/api/user/self',
  role: 'user',
  summary: 'Changes the own name or password. What is absent or empty stays',
  body: SelfChange,
})

export const getUser = endpoint({
  method: 'GET',
  path: '/api/user/:id',
  role: 'admin',
  summary: 'One user of a lower rank',
  params: IdParams,
  reply: User,
})

export const deleteSelf = endpoint({
  method: 'DELETE',
  path: '/api/user/self',
  role: 'user',
  summary: 'Deregisters the caller for good. A name that is sent must be the own one',
  body: z.object({ username: z.string().max(200).optional() }).optional(),
})

const AccessToken = z.string()

export const resetAccessToken = endpoint({
  method: 'GET',
  path: '/api/user/token',
  role: 'user',
  summary: 'Makes a new system access token and shows it once; the one before ends',
  reply: AccessToken,
})

export const resetAccessTokenByPost = endpoint({
  method: 'POST',
  path: '/api/user/token',
  role: 'user',
  summary: 'Makes a new system access token and shows it once; the one before ends',
  reply: AccessToken,
})
