import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { flagField } from '../fields.ts'

const TEXT_LENGTH_MAX = 200
const role = 'user'
const path = '/api/user/reauthenticate'

/** Second factors. Declared here, since their own calls are of a few pages only. */
export const FactorKind = z.enum(['passkey', 'totp'])
export type FactorKind = z.infer<typeof FactorKind>

export const ReauthenticationMethod = z.enum([
  'password',
  'email',
  'github',
  'linuxdo',
  'wechat',
  'telegram',
  ...FactorKind.options,
])
export type ReauthenticationMethod = z.infer<typeof ReauthenticationMethod>

export const getReauthentication = endpoint({
  method: 'GET',
  path,
  role,
  isForEnrolment: true,
  summary: 'Get how you can prove that you are present',
  reply: z.object({
    is_recent: flagField(
      'Whether this session signed in or reauthenticated within the last ten minutes.',
      false,
    ),
    methods: z.array(ReauthenticationMethod).meta({
      description:
        'Ways to reauthenticate. With a second factor, only that one; `email` is offered only without a password. Identity providers reauthenticate through their binding calls.',
      example: ['password', 'github'],
    }),
  }),
})

export const reauthenticate = endpoint({
  method: 'POST',
  path,
  role,
  isForEnrolment: true,
  audit: 'attempts',
  summary: 'Prove that you are present',
  description:
    'Needed for calls that answer `auth.recent_sign_in_required`; holds for ten minutes and for this session only.',
  body: z.object({
    password: z
      .string()
      .max(TEXT_LENGTH_MAX)
      .optional()
      .meta({ format: 'password', description: 'Your password.', example: 'correct-horse' }),
    code: z.string().trim().max(TEXT_LENGTH_MAX).optional().meta({
      format: 'password',
      description: 'The code that was emailed; only for accounts without a password.',
      example: '7K2P9Q',
    }),
  }),
})

export const sendReauthenticationCode = endpoint({
  method: 'POST',
  path: `${path}/code`,
  role,
  isForEnrolment: true,
  summary: 'Email yourself a code for reauthentication',
  description: 'Only for accounts without a password. At most one code in 30 seconds.',
})
