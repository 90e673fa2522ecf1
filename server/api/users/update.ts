import type { UserChange } from '#contract/accounts/user-management.ts'
import type { SelfChange } from '#contract/accounts/users.ts'
import { LOG_TYPE, ROLE } from '#contract/enums.ts'
import { nowSeconds } from '../../core/clock.ts'
import { deleteSessionsOfUser } from '../../db/accounts/sessions.ts'
import {
  type UserUpdate as Columns,
  findUser,
  isUsernameTaken,
  lockUser,
  type UserRow,
  type UserUpdate,
  updateUser,
} from '../../db/accounts/users.ts'
import { type Database, inTransaction } from '../../db/engine/database.ts'
import { insertEventLog } from '../../db/logs/log-writes.ts'
import { adjustWallet } from '../../ledger/adjust.ts'
import type { ApiContext } from '../context.ts'
import { formatQuota } from '../format.ts'
import { hashPassword, throttleAttempts, verifyPassword } from '../passwords.ts'
import { userError } from './errors.ts'
import { checkRank } from './manage.ts'

type UserUpdateDeps = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId'>

/** Updates the fields of a user of lower rank. A new password ends all sessions of the user. */
export async function updateUserFields(change: UserChange, context: UserUpdateDeps): Promise<UserRow> {
  const { db, caller } = context
  const password_hash = change.password ? await hashPassword(change.password) : undefined
  return inTransaction(db, async tx => {
    const user = await lockUser(tx, change.id)
    if (!user || user.deleted_at !== null) throw userError('unknown')
    checkRank(user, caller)
    await checkUserEdit(tx, { user, change }, context)
    await updateUser(tx, user.id, toUserColumns(change, password_hash))
    if (password_hash !== undefined) await deleteSessionsOfUser(tx, user.id)
    await adjustBalance(tx, { user, change }, context)
    return (await findUser(tx, user.id)) ?? user
  })
}

interface UserEdit {
  readonly user: UserRow
  readonly change: UserChange
}

async function checkUserEdit(
  tx: Database,
  { user, change }: UserEdit,
  { caller, settings }: UserUpdateDeps,
): Promise<void> {
  const { role, group, username } = change
  if (role !== undefined && role >= caller.role && caller.role < ROLE.root) throw userError('role_too_high')
  const isNewGroup = group !== undefined && group !== '' && group !== user.group
  if (isNewGroup && !Object.hasOwn(settings.current().values.GroupRatio, group))
    throw userError('unknown_group', { group })
  if (username && username !== user.username && (await isUsernameTaken(tx, username)))
    throw userError('name_taken')
}

const toUserColumns = (
  { username, display_name, group }: UserChange,
  password_hash: string | undefined,
): Columns => ({
  ...(username && { username }),
  ...(display_name && { display_name }),
  ...(group && { group }),
  ...(password_hash && { password_hash }),
})

/** Posts the difference to the balance that the administrator saw, so that concurrent spending stays spent. */
async function adjustBalance(
  tx: Database,
  { user, change }: UserEdit,
  { caller, settings, requestId }: UserUpdateDeps,
): Promise<void> {
  if (change.quota === undefined) return
  const amount = change.quota - (change.quota_seen ?? user.quota)
  if (amount === 0) return
  if (change.quota < 0) throw userError('negative_quota')
  const reason = change.reason || 'balance edited'
  await adjustWallet(tx, {
    userId: user.id,
    amount,
    kind: 'adjustment',
    actorId: caller.id,
    reason,
    requestId,
  })
  const { values } = settings.current()
  const [before, after] = [user.quota, user.quota + amount].map(units => formatQuota(units, values))
  const why = change.reason ? `：${change.reason}` : ''
  await insertEventLog(tx, {
    type: LOG_TYPE.management,
    userId: user.id,
    username: user.username,
    content: `管理员 ${caller.username} 将用户额度从 ${before} 修改为 ${after}${why}`,
    quota: amount,
    requestId,
  })
}

/** After this time the session alone no longer proves that the account owner sits at the screen. */
const RECENT_SIGN_IN_SECONDS = 15 * 60

/** Updates the caller's names or password. A new password ends all other sessions. */
export async function updateOwnAccount(
  request: SelfChange,
  context: Pick<ApiContext, 'db' | 'caller' | 'session' | 'rateLimiter' | 'clientIp'>,
): Promise<void> {
  const { db, caller, session } = context
  const user = await findUser(db, caller.id)
  if (!user) throw userError('unknown')
  const change = await toOwnChange(request)
  const isSensitive = change.password_hash !== undefined || change.username !== undefined
  if (isSensitive) await requireRecentSignIn(user, request.original_password, context)
  await inTransaction(db, async tx => {
    if (change.username && change.username !== user.username && (await isUsernameTaken(tx, change.username)))
      throw userError('name_taken')
    await updateUser(tx, user.id, change)
  })
  if (change.password_hash !== undefined) await session.closeOthers()
}

const toOwnChange = async ({ username, display_name, password }: SelfChange): Promise<UserUpdate> => ({
  ...(username && { username }),
  ...(display_name && { display_name }),
  ...(password && { password_hash: await hashPassword(password), must_change_password: 0 as const }),
})

/** Requires the current password, throttled like a sign-in, or else a recent sign-in. */
async function requireRecentSignIn(
  user: UserRow,
  password: string | undefined,
  { session, rateLimiter, clientIp }: Pick<ApiContext, 'session' | 'rateLimiter' | 'clientIp'>,
): Promise<void> {
  if (!password) {
    if (session.authenticatedAt < nowSeconds() - RECENT_SIGN_IN_SECONDS) throw userError('confirm_password')
    return
  }
  await throttleAttempts(`user ${user.id}`, clientIp, rateLimiter, async () => {
    if (!(await verifyPassword(password, user.password_hash))) throw userError('wrong_password')
  })
}
