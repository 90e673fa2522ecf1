import * as endpoints from '#contract/accounts/session.ts'
import type { User } from '#contract/entities/user.ts'
import { ROLE, USER_STATUS } from '#contract/enums.ts'
import { checkCaptcha } from '#server/accounts/captcha.ts'
import { throttleAttempts } from '#server/accounts/sign-in-throttle.ts'
import { toSelf } from '#server/accounts/user-view.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { hashPassword, verifyPassword } from '#server/core/crypto.ts'
import { lockUser, type UserRow, updateLastLogin, updateUser } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { findUserByLogin } from '../queries.ts'

const sessionError = apiErrors('session', {
  missing: { zh: '请输入用户名和密码', en: 'enter your username and password' },
  wrong: {
    zh: '用户名或密码错误，或用户已被封禁',
    en: 'wrong username or password, or the account is banned',
  },
  password_login_off: { zh: '管理员关闭了密码登录', en: 'password sign-in is turned off' },
})

export const routes = [
  handle(endpoints.login, async ({ body, query, ...context }) => {
    if (body.username === '' || body.password === '') throw sessionError('missing')
    await checkCaptcha(query.turnstile, context)
    return signIn(body.username, body.password, context)
  }),
  handle(endpoints.logout, ({ session }) => session.close()),
  handle(endpoints.logoutByPost, ({ session }) => session.close()),
]

type SignInContext = Pick<ApiContext, 'db' | 'settings' | 'session' | 'rateLimiter' | 'network' | 'secrets'>

async function signIn(username: string, password: string, context: SignInContext): Promise<User> {
  const { db, rateLimiter, network, session } = context
  const found = await findUserByLogin(db, username)
  const attempt = { account: username.toLowerCase(), network, device: found && session.deviceOf(found.id) }
  const user = await throttleAttempts(attempt, rateLimiter, () => checkPassword(found, password))
  if (user.role < ROLE.root && !context.settings.current().values.PasswordLoginEnabled)
    throw sessionError('password_login_off')
  await openSession(await upgradeImportedHash(user, password, context), context)
  await updateLastLogin(db, user.id, nowSeconds())
  return toSelf(user, context.secrets)
}

/** The password may have been replaced while it was verified: a session opened then would outlive the replacement. */
const openSession = (user: UserRow, { db, session }: SignInContext): Promise<void> =>
  inTransaction(db, async tx => {
    const current = await lockUser(tx, user.id)
    if (current?.password_hash !== user.password_hash) throw sessionError('wrong')
    await session.open(user.id, tx)
  })

async function checkPassword(user: UserRow | undefined, password: string): Promise<UserRow> {
  const isRight = await verifyPassword(password, user?.password_hash ?? '')
  if (!user || !isRight || user.status !== USER_STATUS.enabled) throw sessionError('wrong')
  return user
}

/** Imported accounts have bcrypt hashes; the first sign-in replaces them with argon2id. */
async function upgradeImportedHash(user: UserRow, password: string, { db }: SignInContext): Promise<UserRow> {
  if (user.password_hash.startsWith('$argon2id$')) return user
  const password_hash = await hashPassword(password)
  return inTransaction(db, async tx => {
    const current = await lockUser(tx, user.id)
    if (current?.password_hash !== user.password_hash) throw sessionError('wrong')
    await updateUser(tx, user.id, { password_hash })
    return { ...user, password_hash }
  })
}
