import { USER_STATUS } from '#contract/enums.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { checkCaptcha } from '#server/accounts/captcha.ts'
import { consumeEmailCode, verifyEmailCode } from '#server/accounts/email-codes.ts'
import { tellFormerAddress } from '#server/accounts/former-address.ts'
import { replacePassword } from '#server/accounts/passwords.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { hashPassword } from '#server/core/crypto.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { claimUniqueColumn, findUser, findUserByUniqueColumn } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { renderEmail } from '#server/notifications/email-template.ts'
import * as endpoints from '../../contract.ts'
import { storeEmailCode } from '../store-email-code.ts'
import { addressTakenEmail, passwordResetEmail, testEmail, verificationEmail } from './email-templates.ts'
import { verificationError } from './errors.ts'

const CODE_LENGTH = 6
const TOKEN_LENGTH = 32

export const routes = [
  handle(endpoints.sendVerification, async ({ query, ...context }) => {
    await checkCaptcha(query.turnstile, context)
    await sendVerification(query.email, context)
  }),

  handle(endpoints.sendReset, async ({ query, ...context }) => {
    await checkCaptcha(query.turnstile, context)
    await sendReset(query.email, context)
  }),

  handle(endpoints.resetPassword, ({ body, ...context }) =>
    resetForgottenPassword(body.email, body.token, context),
  ),

  handle(endpoints.bindEmail, ({ query, ...context }) => bindAddress(query.email, query.code, context)),
  handle(endpoints.bindEmailByPost, ({ body, ...context }) => bindAddress(body.email, body.code, context)),

  handle(endpoints.sendTestMail, ({ body, settings, mailer, language }) =>
    mailer.sendTest(renderEmail(body.email, testEmail[language](), settings.current().values.SystemName)),
  ),
]

/** The email depends on whether the address has an account; the response must not reveal it. */
async function sendVerification(address: string, context: ApiContext): Promise<void> {
  const { db, settings, mailer, language } = context
  const { values } = settings.current()
  checkAddress(address, values)
  mailer.requireServer()
  const code = randomAlphanumeric(CODE_LENGTH).toUpperCase()
  await storeEmailCode({ purpose: 'verify', address }, code, context)
  const isTaken = (await findUserByUniqueColumn(db, 'email', address)) !== undefined
  const email = isTaken ? addressTakenEmail[language]() : verificationEmail[language](code)
  await mailer.send(renderEmail(address, email, values.SystemName))
}

/** Responds before the email is sent, so that the response time does not reveal whether the account exists. */
async function sendReset(address: string, context: ApiContext): Promise<void> {
  const { db, settings, mailer, language } = context
  const { ServerAddress, SystemName } = settings.current().values
  if (ServerAddress === '') throw verificationError('no_server_address')
  mailer.requireServer()
  const token = randomAlphanumeric(TOKEN_LENGTH)
  await storeEmailCode({ purpose: 'reset', address }, token, context)
  const user = await findUserByUniqueColumn(db, 'email', address)
  if (!user || user.deleted_at !== null || user.status !== USER_STATUS.enabled) return
  const url = `${ServerAddress}/user/reset?email=${encodeURIComponent(address)}&token=${token}`
  mailer.sendInBackground(renderEmail(address, passwordResetEmail[language](url), SystemName))
}

async function bindAddress(address: string, code: string, context: ApiContext): Promise<void> {
  const { db, caller } = context
  const verified = await verifyEmailCode({ purpose: 'verify', address }, code, context)
  if (!verified || !(await consumeEmailCode(db, verified))) throw verificationError('wrong_code')
  const former = await findUser(db, caller.id)
  if (!(await claimUniqueColumn(db, caller.id, 'email', address))) throw verificationError('taken')
  if (former && former.email !== address) tellFormerAddress(former, 'changed', context)
}

/** Throws for addresses that the options do not accept. `address` is in lower case. */
function checkAddress(address: string, values: OptionValues): void {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  const domains = values.EmailDomainWhitelist.map(name => name.toLowerCase())
  if (values.EmailDomainRestrictionEnabled && !domains.includes(domain)) throw verificationError('domain')
  if (values.EmailAliasRestrictionEnabled && /[+.]/.test(local)) throw verificationError('alias')
}

const PASSWORD_LENGTH = 16

/** Sets and returns a random password when the emailed token is valid, and ends the sessions and the access token of the user. */
async function resetForgottenPassword(
  address: string,
  token: string,
  context: Pick<ApiContext, 'db' | 'secrets' | 'session' | 'events'>,
): Promise<string> {
  const { db, session } = context
  const verified = await verifyEmailCode({ purpose: 'reset', address }, token, context)
  if (!verified) throw verificationError('wrong_link')
  const password = randomAlphanumeric(PASSWORD_LENGTH)
  const password_hash = await hashPassword(password)
  const userId = await inTransaction(db, async tx => {
    const user = await findUserByUniqueColumn(tx, 'email', address)
    const isConsumed = await consumeEmailCode(tx, verified)
    if (!isConsumed || !user || user.deleted_at !== null || user.status !== USER_STATUS.enabled)
      throw verificationError('wrong_link')
    await replacePassword(tx, user.id, { password_hash, must_change_password: 0 }, context)
    return user.id
  })
  // While others guess, the new password must work on this device.
  session.rememberDevice(userId)
  return password
}
