import {
  addressHashOf,
  codeHashOf,
  type EmailCodeDeps,
  type EmailCodeSubject,
} from '#server/accounts/email-codes.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { deleteExpiredMailCodes, findMailCodeTime, replaceMailCode } from './queries.ts'

export const CODE_MINUTES = 10
const RESEND_SECONDS = 30
const TOO_MANY_REQUESTS = 429

const resendError = apiErrors(
  'mail_code',
  {
    too_soon: {
      zh: '发送过于频繁，请在 {seconds} 秒后重试',
      en: 'an email was just sent; try again in {seconds} s',
    },
  },
  TOO_MANY_REQUESTS,
)

/** Stores a code in place of the previous one. Throws `mail_code.too_soon` (HTTP 429) within 30 seconds of it. */
export async function storeEmailCode(
  subject: EmailCodeSubject,
  code: string,
  parts: EmailCodeDeps,
): Promise<void> {
  const now = nowSeconds()
  await deleteExpiredMailCodes(parts.db, now)
  const row = {
    address_hash: addressHashOf(subject, parts),
    code_hash: codeHashOf(code, parts),
    created_at: now,
    expires_at: now + CODE_MINUTES * 60,
  }
  if (await replaceMailCode(parts.db, row, now - RESEND_SECONDS)) return
  const createdAt = (await findMailCodeTime(parts.db, row.address_hash)) ?? now
  throw resendError('too_soon', { seconds: Math.max(1, createdAt + RESEND_SECONDS - now) })
}
