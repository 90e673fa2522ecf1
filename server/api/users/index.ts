import { getSelf, getUser, updateSelf } from '#contract/users.ts'
import { inTransaction } from '../../db/database.ts'
import { findUser, isUsernameTaken, type UserChange, type UserRow, updateUser } from '../../db/users.ts'
import { nowSeconds } from '../../kernel/clock.ts'
import { refusals } from '../../kernel/refusal.ts'
import { ROLE } from '../caller.ts'
import { handle } from '../handle.ts'
import { hashPassword, isPasswordRight } from '../passwords.ts'
import { toUser } from '../user-view.ts'

/** A sign-in this old no longer proves that the person at the screen is the owner of the account. */
const RECENT_SIGN_IN_SECONDS = 15 * 60

const refuse = refusals('user', {
  unknown: { zh: '用户不存在', en: 'there is no such user' },
  no_permission: {
    zh: '无权查看同级或更高级用户',
    en: 'users of the same or a higher rank are not yours to see',
  },
  name_taken: { zh: '用户名已存在或已注销', en: 'the user name is taken' },
  confirm_password: {
    zh: '登录时间较久，请提供当前密码（original_password）',
    en: 'the sign-in is not recent: give the current password (original_password)',
  },
  wrong_password: { zh: '当前密码错误', en: 'the current password is wrong' },
})

export const routes = [
  handle(getSelf, async ({ db, caller }) => toUser(await knownUser(findUser(db, caller.id)))),

  handle(getUser, async ({ db, caller, params }) => {
    const user = await knownUser(findUser(db, params.id))
    if (user.role >= caller.role && caller.role < ROLE.root && user.id !== caller.id)
      throw refuse('no_permission')
    return toUser(user)
  }),

  handle(updateSelf, async ({ db, caller, body, session }) => {
    const user = await knownUser(findUser(db, caller.id))
    const change = await changeOf(body)
    const isSensitive = change.password_hash !== undefined || change.username !== undefined
    if (isSensitive) await provePresence(user, body.original_password, session.authenticatedAt)
    await inTransaction(db, async tx => {
      if (
        change.username &&
        change.username !== user.username &&
        (await isUsernameTaken(tx, change.username))
      )
        throw refuse('name_taken')
      await updateUser(tx, user.id, change)
    })
    if (change.password_hash !== undefined) await session.closeOthers()
  }),
]

async function knownUser(found: Promise<UserRow | undefined>): Promise<UserRow> {
  const user = await found
  if (!user) throw refuse('unknown')
  return user
}

interface WantedChange {
  readonly username?: string | undefined
  readonly display_name?: string | undefined
  readonly password?: string | undefined
}

const changeOf = async ({ username, display_name, password }: WantedChange): Promise<UserChange> => ({
  ...(username && { username }),
  ...(display_name && { display_name }),
  ...(password && { password_hash: await hashPassword(password), must_change_password: 0 as const }),
})

async function provePresence(
  user: UserRow,
  password: string | undefined,
  authenticatedAt: number,
): Promise<void> {
  if (password) {
    if (!(await isPasswordRight(password, user.password_hash))) throw refuse('wrong_password')
  } else if (authenticatedAt < nowSeconds() - RECENT_SIGN_IN_SECONDS) throw refuse('confirm_password')
}
