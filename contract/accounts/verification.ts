import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { MailAddress } from '../fields.ts'

const CODE_LENGTH_MAX = 200
const role = 'visitor'
const SendCodeQuery = z.object({ email: MailAddress, turnstile: z.string().max(4096).optional() })

export const sendVerification = endpoint({
  method: 'GET',
  path: '/api/verification',
  role,
  isCritical: true,
  summary: 'Mails a code that proves an address, for registering and binding; one each half minute',
  query: SendCodeQuery,
})

export const sendReset = endpoint({
  method: 'GET',
  path: '/api/reset_password',
  role,
  isCritical: true,
  summary: 'Mails a link for a new password, if the address has an account; the answer does not tell',
  query: SendCodeQuery,
})

export const resetPassword = endpoint({
  method: 'POST',
  path: '/api/user/reset',
  role,
  isCritical: true,
  summary: 'Trades the token of a mailed link for a new password, shown once; every session ends',
  body: z.object({ email: MailAddress, token: z.string().trim().min(1).max(CODE_LENGTH_MAX) }),
  reply: z.string(),
})

const binding = {
  path: '/api/oauth/email/bind',
  role: 'user',
  isCritical: true,
  summary: 'Makes an address that a code proves the one of the own account',
} as const
const VerifiedAddress = z.object({ email: MailAddress, code: z.string().trim().min(1).max(CODE_LENGTH_MAX) })
export const bindEmail = endpoint({ method: 'GET', ...binding, query: VerifiedAddress })
export const bindEmailByPost = endpoint({ method: 'POST', ...binding, body: VerifiedAddress })

export const sendTestMail = endpoint({
  method: 'POST',
  path: '/api/option/test_mail',
  role: 'root',
  summary: 'Mails a few words to try the mail settings; a refusal says what the mail server said',
  body: z.object({ email: MailAddress }),
})
