import { z } from 'zod'
import { RECORDS } from '../audited-records.ts'
import { endpoint } from '../endpoint.ts'
import { CaptchaQuery, User } from '../entities/user.ts'

export const Credentials = z.object({
  username: z.string().trim().max(200).meta({ description: 'User name or email address.', example: 'alice' }),
  password: z
    .string()
    .max(200)
    .meta({ format: 'password', description: 'Password.', example: 'correct-horse' }),
})

export const login = endpoint({
  method: 'POST',
  path: '/api/user/login',
  role: 'visitor',
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ({ body: { username } }) => ({ username: [username], email: [username] }),
  summary: 'Sign in with a password',
  description: 'Sets the session cookie. Further calls must send the user id in the header `New-Api-User`.',
  query: CaptchaQuery,
  body: Credentials,
  reply: User,
})

export const logout = endpoint({
  method: 'GET',
  path: '/api/user/logout',
  role: 'visitor',
  audit: 'success',
  summary: 'Sign out',
})

export const logoutByPost = endpoint({
  method: 'POST',
  path: '/api/user/logout',
  role: 'visitor',
  summary: 'Sign out',
})
