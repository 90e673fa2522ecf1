import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { User } from './users.ts'

export const Credentials = z.object({
  /** Name or e-mail address. */
  username: z.string().trim().max(200),
  password: z.string().max(200),
})

export const login = endpoint({
  method: 'POST',
  path: '/api/user/login',
  role: 'visitor',
  isCritical: true,
  summary: 'Signs in with a password and sets the session cookie',
  query: z.object({ turnstile: z.string().max(4096).optional() }),
  body: Credentials,
  reply: User,
})

export const logout = endpoint({
  method: 'GET',
  path: '/api/user/logout',
  role: 'visitor',
  summary: 'Ends the session',
})

export const logoutByPost = endpoint({
  method: 'POST',
  path: '/api/user/logout',
  role: 'visitor',
  summary: 'Ends the session',
})
