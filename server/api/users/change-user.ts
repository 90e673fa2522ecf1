import type { UserChange } from '#contract/accounts/user-management.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { deleteSessionsOfUser } from '../../db/sessions.ts'
import { insertEventLog } from '../../db/system-log.ts'
import {
  type UserUpdate as Columns,
  findUser,
  isUsernameTaken,
  lockUser,
  type UserRow,
  updateUser,
} from '../../db/users.ts'
import { adjustWallet } from '../../ledger/adjust.ts'
import { ROLE } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { hashPassword } from '../passwords.ts'
import { quotaText } from '../quota-text.ts'
import { checkRank } from './check-rank.ts'
import { refuse } from './refuse.ts'

type Context = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId'>

/** Changes what was sent of a user of a lower rank. A new password ends the user's sessions. */
export async function changeUser(change: UserChange, context: Context): Promise<UserRow> {
  const { db, caller } = context
  const password_hash = change.password ? await hashPassword(change.password) : undefined
  return inTransaction(db, async tx => {
    const user = await lockUser(tx, change.id)
    if (!user || user.deleted_at !== null) throw refuse('unknown')
    checkRank(user, caller)
    await check(tx, { user, change }, context)
    await updateUser(tx, user.id, columnsOf(change, password_hash))
    if (password_hash !== undefined) await deleteSessionsOfUser(tx, user.id)
    await changeBalance(tx, { user, change }, context)
    return (await findUser(tx, user.id)) ?? user
  })
}

interface Wanted {
  readonly user: UserRow
  readonly change: UserChange
}

async function check(tx: Database, { user, change }: Wanted, { caller, settings }: Context): Promise<void> {
  const { role, group, username } = change
  if (role !== undefined && role >= caller.role && caller.role < ROLE.root) throw refuse('role_too_high')
  const isNewGroup = group !== undefined && group !== '' && group !== user.group
  if (isNewGroup && !Object.hasOwn(settings.current().values.GroupRatio, group))
    throw refuse('unknown_group', { group })
  if (username && username !== user.username && (await isUsernameTaken(tx, username)))
    throw refuse('name_taken')
}

const columnsOf = (
  { username, display_name, group }: UserChange,
  password_hash: string | undefined,
): Columns => ({
  ...(username && { username }),
  ...(display_name && { display_name }),
  ...(group && { group }),
  ...(password_hash && { password_hash }),
})

/** The difference is posted, so that what is spent meanwhile is neither given back nor taken twice. */
async function changeBalance(
  tx: Database,
  { user, change }: Wanted,
  { caller, settings, requestId }: Context,
): Promise<void> {
  if (change.quota === undefined) return
  const amount = change.quota - (change.quota_seen ?? user.quota)
  if (amount === 0) return
  if (change.quota < 0) throw refuse('negative_quota')
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
  const [before, after] = [user.quota, user.quota + amount].map(units => quotaText(units, values))
  const why = change.reason ? `：${change.reason}` : ''
  await insertEventLog(tx, {
    type: 3,
    userId: user.id,
    username: user.username,
    content: `管理员 ${caller.username} 将用户额度从 ${before} 修改为 ${after}${why}`,
    quota: amount,
    requestId,
  })
}
