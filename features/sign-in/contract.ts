import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { COST, endpoint, ownRow } from '#contract/endpoint.ts'
import { CaptchaQuery } from '#contract/entities/user.ts'
import { EmailAddress, textField } from '#contract/fields.ts'

const CODE_LENGTH_MAX = 200
const role = 'visitor'

const email = EmailAddress.meta({ description: 'Email address.', example: 'alice@example.com' })
const SendCodeQuery = CaptchaQuery.extend({ email })

export const sendVerification = endpoint({
  method: 'GET',
  path: '/api/verification',
  role,
  isCritical: true,
  summary: 'Email a verification code',
  description: 'For registering and for linking an address. At most one code per address in 30 seconds.',
  query: SendCodeQuery,
})

export const sendReset = endpoint({
  method: 'GET',
  path: '/api/reset_password',
  role,
  isCritical: true,
  audit: 'attempts',
  summary: 'Email a password reset link',
  description: 'Succeeds whether or not the address belongs to an account.',
  query: SendCodeQuery,
})

export const resetPassword = endpoint({
  method: 'POST',
  path: '/api/user/reset',
  role,
  isCritical: true,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ({ body }) => ({ email: [body.email] }),
  summary: 'Reset a password with the token of an emailed link',
  description:
    'Returns a new random password, shown once, and ends all sessions and the access token of the user.',
  body: z.object({
    email,
    token: z.string().trim().min(1).max(CODE_LENGTH_MAX).meta({
      format: 'password',
      description: 'The `token` parameter of the link.',
      example: 'q8WnB1vK4rYd6TzP0sLx3FhJ9gMc2AeU',
    }),
  }),
  reply: textField('The new password.', 'V7xk2Qm9Lr4TbW8s'),
})

const VerifiedAddress = z.object({
  email,
  code: z.string().trim().min(1).max(CODE_LENGTH_MAX).meta({
    format: 'password',
    description: 'The code that was sent to the address; case-insensitive.',
    example: '7K2P9Q',
  }),
})
const binding = {
  path: '/api/oauth/email/bind',
  role: 'user',
  isCritical: true,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Link an email address to your account',
  needs: 'recent-sign-in',
  description: 'The former address is told.',
} as const
export const bindEmail = endpoint({ method: 'GET', ...binding, query: VerifiedAddress })
export const bindEmailByPost = endpoint({ method: 'POST', ...binding, body: VerifiedAddress })

export const sendTestMail = endpoint({
  method: 'POST',
  path: '/api/option/test_mail',
  role: 'root',
  cost: COST.providerCall,
  summary: 'Send a test email with the current mail settings',
  description: 'An error contains the response of the mail server.',
  body: z.object({ email }),
})
