import type { OptionValues } from '#contract/options/system-options.ts'
import { nowSeconds } from '../core/clock.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import { quota } from '../core/money.ts'
import { type Database, inTransaction } from '../db/engine/database.ts'
import { findUser, type IdentityColumn, insertUserIfNew, type UserRow, incrementInvitationCount, hasUserWithRole } from '../db/accounts/users.ts'
import { insertEventLog } from '../db/logs/log-writes.ts'
import { adjustWallet, creditInvitation } from '../ledger/adjust.ts'
import { ROLE } from '#contract/enums.ts'
import { formatQuota } from './quota-text.ts'
import { hashPassword } from './passwords.ts'

const INVITATION_CODE_LENGTH = 8

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

interface AccountCreation {
  readonly values: OptionValues
  /** Who makes the account; 0 when its owner does. */
  readonly actorId: number
  readonly requestId: string
}

/**
 * Makes an account of role 1 with the quota that the options give to new users, to the invited and to who invited them,
 * in the caller's transaction. Undefined when the name, the address or the identity is taken.
 */
export async function createAccount(
  tx: Database,
  account: NewAccount,
  opening: AccountCreation,
): Promise<UserRow | undefined> {
  const id = await insertUserIfNew(tx, {
    username: account.username,
    display_name: account.displayName || account.username,
    password_hash: account.passwordHash,
    must_change_password: 0,
    role: ROLE.user,
    email: account.email,
    ...account.identity,
    aff_code: randomAlphanumeric(INVITATION_CODE_LENGTH),
    inviter_id: account.inviter?.id ?? 0,
    created_at: nowSeconds(),
  })
  if (id === undefined) return undefined
  const { QuotaForNewUser, QuotaForInvitee } = opening.values
  const user = { id, username: account.username }
  await grantQuota(tx, { user, amount: QuotaForNewUser, reason: '新用户注册赠送' }, opening)
  if (account.inviter) {
    await grantQuota(tx, { user, amount: QuotaForInvitee, reason: '使用邀请码赠送' }, opening)
    await rewardInviter(tx, account.inviter, opening)
  }
  return findUser(tx, id)
}

interface QuotaGrant {
  readonly user: Pick<UserRow, 'id' | 'username'>
  readonly amount: number
  readonly reason: string
}

async function grantQuota(tx: Database, gift: QuotaGrant, opening: AccountCreation): Promise<void> {
  const { user, amount, reason } = gift
  if (amount === 0) return
  const { actorId, requestId } = opening
  await adjustWallet(tx, { userId: user.id, amount, kind: 'gift', actorId, reason, requestId })
  await logGrant(tx, gift, opening)
}

/** The count of invitations grows whether or not they are rewarded. */
async function rewardInviter(tx: Database, inviter: UserRow, opening: AccountCreation): Promise<void> {
  const amount = quota(opening.values.QuotaForInviter)
  const { actorId, requestId } = opening
  const reason = '邀请用户赠送'
  await incrementInvitationCount(tx, inviter.id)
  if (amount === 0) return
  await creditInvitation(tx, { userId: inviter.id, amount, actorId, reason, requestId })
  await logGrant(tx, { user: inviter, amount, reason }, opening)
}

const logGrant = (tx: Database, { user, amount, reason }: QuotaGrant, { values, requestId }: AccountCreation) =>
  insertEventLog(tx, {
    type: 4,
    userId: user.id,
    username: user.username,
    content: `${reason} ${formatQuota(amount, values)}`,
    quota: amount,
    requestId,
  })

const ROOT_NAME = 'root'
const ROOT_QUOTA = quota(100_000_000)
const RANDOM_PASSWORD_LENGTH = 16
const ROOT_INVITATION_CODE_LENGTH = 8

interface FirstRootOptions {
  readonly db: Database
  /** Chosen by the operator; a random one is made when it is absent. */
  readonly password?: string
}

/**
 * Makes the super administrator of a new installation, with quota to begin with. Gives the random password, which
 * must be shown once and changed; undefined when the operator chose it, or when there is a root already.
 */
export async function createFirstRoot({ db, password: chosen }: FirstRootOptions): Promise<string | undefined> {
  if (await hasUserWithRole(db, ROLE.root)) return undefined
  const password = chosen ?? randomAlphanumeric(RANDOM_PASSWORD_LENGTH)
  const user = {
    username: ROOT_NAME,
    display_name: 'Root User',
    password_hash: await hashPassword(password),
    must_change_password: chosen === undefined ? 1 : 0,
    role: ROLE.root,
    aff_code: randomAlphanumeric(ROOT_INVITATION_CODE_LENGTH),
    created_at: nowSeconds(),
  } as const
  const isMade = await inTransaction(db, async tx => {
    const id = await insertUserIfNew(tx, user)
    if (id === undefined) return false
    await adjustWallet(tx, {
      userId: id,
      amount: ROOT_QUOTA,
      kind: 'gift',
      actorId: 0,
      reason: 'quota of the first account',
      requestId: '',
    })
    return true
  })
  return isMade && chosen === undefined ? password : undefined
}
