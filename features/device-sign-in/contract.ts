import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { TokenDraft } from '#contract/entities/token.ts'
import { numberField, textField } from '#contract/fields.ts'

/** Consonants only, so that no code is a word. Source: RFC 8628, section 6.1. */
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
export const USER_CODE_LENGTH = 8
const USER_CODE_TEXT_MAX = 64

/** The letters of a code, however it was typed. */
export const toUserCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z]/g, '')

/** A code as it is shown: `WDJB-MJHT`. */
export const showUserCode = (code: string): string =>
  `${code.slice(0, USER_CODE_LENGTH / 2)}-${code.slice(USER_CODE_LENGTH / 2)}`

const UserCode = z.string().max(USER_CODE_TEXT_MAX).transform(toUserCode).meta({
  format: 'password',
  description: 'The code that the program shows. Case, spaces and dashes do not matter.',
  example: 'WDJB-MJHT',
})

export const DeviceSignIn = z
  .object({
    user_code: textField('The code, as the program shows it.', 'WDJB-MJHT'),
    name: textField('Suggested name of the token.', 'Claude Code on 203.0.113.7'),
    address: textField('The address from which the program asked.', '203.0.113.7'),
    created_time: numberField('Unix seconds at which it asked.', 1_760_000_000),
    expired_time: numberField('Unix seconds until which you can decide.', 1_760_000_600),
  })
  .meta({ id: 'DeviceSignIn', description: 'A program that asks to sign in to your account.' })
export type DeviceSignIn = z.infer<typeof DeviceSignIn>

const missing = 'The code is unknown, has expired or was decided, or device sign-ins are off.'

export const findDeviceSignIn = endpoint({
  method: 'POST',
  path: '/api/device/find',
  role: 'user',
  audit: 'none',
  summary: 'Find the program behind a device code',
  missing,
  body: z.object({ user_code: UserCode }),
  reply: DeviceSignIn,
})

export const approveDeviceSignIn = endpoint({
  method: 'POST',
  path: '/api/device/approve',
  role: 'user',
  needs: 'recent-sign-in',
  summary: 'Let a program sign in to your account',
  description:
    'The program gets a token of yours, which it renews. Disable or delete the token to sign it out.',
  missing,
  body: z.object({ user_code: UserCode, name: TokenDraft.shape.name, group: TokenDraft.shape.group }),
})

export const denyDeviceSignIn = endpoint({
  method: 'POST',
  path: '/api/device/deny',
  role: 'user',
  summary: 'Refuse the sign-in of a program',
  missing,
  body: z.object({ user_code: UserCode }),
})
