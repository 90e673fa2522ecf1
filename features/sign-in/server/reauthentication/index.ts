import type { ReauthenticationMethod } from '#contract/accounts/reauthentication.ts'
import * as endpoints from '#contract/accounts/reauthentication.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { consumeEmailCode, verifyEmailCode } from '#server/accounts/email-codes.ts'
import { ownAttempt, throttleAttempts } from '#server/accounts/sign-in-throttle.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { isSignInRecent } from '#server/api/recent-sign-in.ts'
import { verifyPassword } from '#server/core/crypto.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import type { Language } from '#server/core/language.ts'
import { findUser, type UserRow } from '#server/db/accounts/users.ts'
import { type EmailTemplate, renderEmail } from '#server/notifications/email-template.ts'
import { CODE_MINUTES, storeEmailCode } from '../store-email-code.ts'
import { reauthenticationError } from './errors.ts'

const CODE_LENGTH = 6

export const routes = [
  handle(endpoints.getReauthentication, async ({ session, settings, ...context }) => ({
    is_recent: isSignInRecent(session),
    methods: await offeredMethods(await getSelf(context), settings.current().values, context),
  })),

  handle(endpoints.reauthenticate, async ({ body, ...context }) => {
    const user = await getSelf(context)
    if (!context.session.exists) throw reauthenticationError('no_session')
    if (body.password) await checkPassword(user, body.password, context)
    else if (body.code) await checkCode(user, body.code, context)
    else throw reauthenticationError('nothing_given')
    await context.session.confirm()
  }),

  handle(endpoints.sendReauthenticationCode, async ({ mailer, settings, language, ...context }) => {
    const { email } = requireEmailMethod(await getSelf(context))
    mailer.requireServer()
    const code = randomAlphanumeric(CODE_LENGTH).toUpperCase()
    await storeEmailCode({ purpose: 'reauthenticate', address: email }, code, context)
    const template = reauthenticationEmail[language](code)
    await mailer.send(renderEmail(email, template, settings.current().values.SystemName))
  }),
]

async function getSelf({ db, caller }: Pick<ApiContext, 'db' | 'caller'>): Promise<UserRow> {
  const user = await findUser(db, caller.id)
  if (!user) throw reauthenticationError('no_session')
  return user
}

/** With a second factor only that one: whoever has the password could remove it otherwise. */
async function offeredMethods(
  user: UserRow,
  values: OptionValues,
  { db, events }: Pick<ApiContext, 'db' | 'events'>,
): Promise<ReauthenticationMethod[]> {
  const factors = await events.factorsOf(db, user.id)
  return factors.length > 0 ? [...factors] : methodsOf(user, values)
}

/** A mailed code replaces the password only where there is none: otherwise a stolen mailbox would be enough. */
function methodsOf(user: UserRow, values: OptionValues): ReauthenticationMethod[] {
  const methods: readonly (readonly [ReauthenticationMethod, boolean])[] = [
    ['password', user.password_hash !== ''],
    ['email', hasEmailMethod(user) && values.SMTPServer !== ''],
    ['github', user.github_id !== '' && values.GitHubOAuthEnabled],
    ['linuxdo', user.linux_do_id !== '' && values.LinuxDOOAuthEnabled],
    ['wechat', user.wechat_id !== '' && values.WeChatAuthEnabled],
    ['telegram', user.telegram_id !== '' && values.TelegramOAuthEnabled],
  ]
  return methods.flatMap(([method, isOffered]) => (isOffered ? [method] : []))
}

const hasEmailMethod = ({ password_hash, email }: UserRow): boolean => password_hash === '' && email !== ''

function requireEmailMethod(user: UserRow): UserRow {
  if (!hasEmailMethod(user)) throw reauthenticationError('no_code')
  return user
}

async function checkPassword(user: UserRow, password: string, context: ApiContext): Promise<void> {
  await throttleAttempts(ownAttempt(context), context.rateLimiter, async () => {
    if (!(await verifyPassword(password, user.password_hash))) throw reauthenticationError('wrong_password')
  })
}

async function checkCode(user: UserRow, code: string, context: ApiContext): Promise<void> {
  const { email: address } = requireEmailMethod(user)
  const verified = await verifyEmailCode({ purpose: 'reauthenticate', address }, code, context)
  if (!verified || !(await consumeEmailCode(context.db, verified))) throw reauthenticationError('wrong_code')
}

/** Sends a code that proves that the owner of an account without a password is present. */
const reauthenticationEmail: Readonly<Record<Language, (code: string) => EmailTemplate>> = {
  zh: code => ({
    subject: '身份验证',
    lines: ['您好，您正在进行需要验证身份的操作。您的验证码为：'],
    code,
    note: `验证码 ${CODE_MINUTES} 分钟内有效，请勿告知他人。如果不是您本人操作，请立即退出登录并联系管理员。`,
  }),
  en: code => ({
    subject: 'Confirm it is you',
    lines: ['Hello, enter this code to confirm it is you:'],
    code,
    note: `The code is valid for ${CODE_MINUTES} minutes. Do not share it. If this was not you, contact the administrator.`,
  }),
}
