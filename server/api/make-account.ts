import type { OptionValues } from '#contract/options/system-options.ts'
import { nowSeconds } from '../core/clock.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import { quota } from '../core/money.ts'
import type { Database } from '../db/database.ts'
import { incrementInvitationCount } from '../db/invitations.ts'
import { insertEventLog } from '../db/system-log.ts'
import { findUser, type IdentityColumn, insertUserIfNew, type UserRow } from '../db/users.ts'
import { adjustWallet, creditInvitation } from '../ledger/adjust.ts'
import { ROLE } from './caller.ts'
import { quotaText } from './quota-text.ts'

const INVITATION_CODE_LETTERS = 8

export interface NewAccount {
  readonly username: string
  readonly displayName: string
  readonly passwordHash: string
  /** A verified address in lower case; empty for none. */
  readonly email: string
  /** Who they are at another party, for whoever came from there. */
  readonly identity?: Partial<Record<IdentityColumn, string>>
  /** Undefined when nobody invited them. */
  readonly inviter: UserRow | undefined
}

interface Opening {
  readonly values: OptionValues
  /** Who makes the account; 0 when its owner does. */
  readonly actorId: number
  readonly requestId: string
}

/**
 * Makes an account of role 1 with the quota that the options give to new users, to the invited and to who invited them,
 * in the caller's transaction. Undefined when the name, the address or the identity is taken.
 */
export async function makeAccount(
  tx: Database,
  account: NewAccount,
  opening: Opening,
): Promise<UserRow | undefined> {
  const id = await insertUserIfNew(tx, {
    username: account.username,
    display_name: account.displayName || account.username,
    password_hash: account.passwordHash,
    must_change_password: 0,
    role: ROLE.user,
    email: account.email,
    ...account.identity,
    aff_code: randomAlphanumeric(INVITATION_CODE_LETTERS),
    inviter_id: account.inviter?.id ?? 0,
    created_at: nowSeconds(),
  })
  if (id === undefined) return undefined
  const { QuotaForNewUser, QuotaForInvitee } = opening.values
  const user = { id, username: account.username }
  await give(tx, { user, amount: QuotaForNewUser, reason: '新用户注册赠送' }, opening)
  if (account.inviter) {
    await give(tx, { user, amount: QuotaForInvitee, reason: '使用邀请码赠送' }, opening)
    await rewardInviter(tx, account.inviter, opening)
  }
  return findUser(tx, id)
}

interface Gift {
  readonly user: Pick<UserRow, 'id' | 'username'>
  readonly amount: number
  readonly reason: string
}

async function give(tx: Database, gift: Gift, opening: Opening): Promise<void> {
  const { user, amount, reason } = gift
  if (amount === 0) return
  const { actorId, requestId } = opening
  await adjustWallet(tx, { userId: user.id, amount, kind: 'gift', actorId, reason, requestId })
  await noteGift(tx, gift, opening)
}

/** The count of invitations grows whether or not they are rewarded. */
async function rewardInviter(tx: Database, inviter: UserRow, opening: Opening): Promise<void> {
  const amount = quota(opening.values.QuotaForInviter)
  const { actorId, requestId } = opening
  const reason = '邀请用户赠送'
  await incrementInvitationCount(tx, inviter.id)
  if (amount === 0) return
  await creditInvitation(tx, { userId: inviter.id, amount, actorId, reason, requestId })
  await noteGift(tx, { user: inviter, amount, reason }, opening)
}

const noteGift = (tx: Database, { user, amount, reason }: Gift, { values, requestId }: Opening) =>
  insertEventLog(tx, {
    type: 4,
    userId: user.id,
    username: user.username,
    content: `${reason} ${quotaText(amount, values)}`,
    quota: amount,
    requestId,
  })
