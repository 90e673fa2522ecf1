import type { Binding } from '#contract/accounts/oauth.ts'
import { inTransaction } from '../../db/database.ts'
import { type UniqueColumn, unbindIdentity } from '../../db/identities.ts'
import { lockUser, type UserRow } from '../../db/users.ts'
import type { ApiContext } from '../context.ts'
import { refuse } from './refuse.ts'

const COLUMN: Readonly<Record<Binding, UniqueColumn>> = {
  email: 'email',
  github: 'github_id',
  linuxdo: 'linux_do_id',
  wechat: 'wechat_id',
  telegram: 'telegram_id',
}

/** Takes a binding off the caller's account, as long as a password or another identity is left. */
export function loosen(binding: Binding, { db, caller }: Pick<ApiContext, 'db' | 'caller'>): Promise<void> {
  return inTransaction(db, async tx => {
    const user = await lockUser(tx, caller.id)
    const column = COLUMN[binding]
    if (!user || user[column] === '') throw refuse('not_bound')
    if (!hasAnotherWay(user, column)) throw refuse('last_way')
    await unbindIdentity(tx, caller.id, column)
  })
}

const hasAnotherWay = (user: UserRow, column: UniqueColumn): boolean =>
  user.password_hash !== '' ||
  (['github_id', 'linux_do_id', 'wechat_id', 'telegram_id'] as const).some(
    other => other !== column && user[other] !== '',
  )
