import { toCells } from '#contract/entities/stored.ts'
import { UserFields } from '#contract/entities/user-fields.ts'
import { LOG_TYPE, ROLE } from '#contract/enums.ts'
import { userError } from '#server/accounts/errors.ts'
import { storePassword } from '#server/accounts/passwords.ts'
import { checkRank } from '#server/accounts/rank.ts'
import { freeBalance } from '#server/accounts/user-view.ts'
import type { ApiContext } from '#server/api/context.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { hashPassword } from '#server/core/crypto.ts'
import { sameInBoth } from '#server/core/language.ts'
import { formatQuota } from '#server/core/money.ts'
import {
  findUser,
  isUsernameTaken,
  lockUser,
  type UserRow,
  type UserUpdate,
  updateUser,
} from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import type { UserChange } from '../contract.ts'

type UserUpdateDeps = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId' | 'secrets' | 'events'>

interface UserEdit {
  readonly user: UserRow
  readonly change: UserChange
}

/**
 * Updates the fields of a user of lower rank. A new password ends the sessions and the access token of the user. Super
 * administrators may edit themselves.
 */
export async function updateUserFields(change: UserChange, context: UserUpdateDeps): Promise<UserRow> {
  const { db, caller } = context
  const password_hash = change.password ? await hashPassword(change.password) : undefined
  return inTransaction(db, async tx => {
    const user = await lockUser(tx, change.id)
    if (!user || user.deleted_at !== null) throw userError('unknown')
    checkRank(user, caller)
    if (user.kind === 'organization' && password_hash !== undefined) throw userError('is_organization')
    await checkUserEdit(tx, { user, change }, context)
    await updateUser(tx, user.id, toUserColumns(change))
    if (password_hash !== undefined) await storePassword(tx, user, password_hash, context)
    await adjustBalance(tx, { user, change }, context)
    return (await findUser(tx, user.id)) ?? user
  })
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

/** The columns of a change. Empty text leaves a field unchanged. */
function toUserColumns(change: UserChange): UserUpdate {
  const given = Object.entries(change).filter(([, value]) => value !== '')
  return toCells(UserFields, Object.fromEntries(given))
}

/** Posts the difference to the balance that the administrator saw, so that concurrent spending stays spent. */
async function adjustBalance(
  tx: Database,
  { user, change }: UserEdit,
  { caller, settings, requestId }: UserUpdateDeps,
): Promise<void> {
  if (change.quota === undefined) return
  const amount = change.quota - (change.quota_seen ?? freeBalance(user))
  if (amount === 0) return
  if (change.quota < 0) throw userError('negative_quota')
  const reason = change.reason
    ? sameInBoth(change.reason)
    : { zh: '管理员修改余额', en: 'Balance changed by an administrator' }
  await adjustWallet(tx, {
    userId: user.id,
    amount,
    kind: 'adjustment',
    actorId: caller.id,
    reason,
    requestId,
  })
  const { values } = settings.current()
  const balance = freeBalance(user)
  const before = formatQuota(balance, values)
  const after = formatQuota(balance + amount, values)
  const why = change.reason ? { zh: `：${change.reason}`, en: `: ${change.reason}` } : { zh: '', en: '' }
  await insertEventLog(tx, {
    type: LOG_TYPE.management,
    userId: user.id,
    username: user.username,
    content: {
      zh: `管理员 ${caller.username} 将用户额度从 ${before.zh} 修改为 ${after.zh}${why.zh}`,
      en: `Administrator ${caller.username} changed the balance from ${before.en} to ${after.en}${why.en}`,
    },
    quota: amount,
    requestId,
  })
}

export const missingNameError = apiErrors(
  'user',
  {
    name_required: {
      zh: '请提供您的用户名（username）以确认注销',
      en: 'confirm the deletion with your username (username)',
    },
  },
  400,
)
