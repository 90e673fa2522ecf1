import { LOG_TYPE, ROLE } from '#contract/enums.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { nowSeconds } from '../core/clock.ts'
import { hashPassword } from '../core/crypto.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import type { BothLanguages } from '../core/language.ts'
import { formatQuota, quota } from '../core/money.ts'
import {
  findUser,
  hasUserWithRole,
  type IdentityColumn,
  incrementInvitationCount,
  insertUserIfNew,
  type UserRow,
} from '../db/accounts/users.ts'
import { type Database, inTransaction } from '../db/engine/database.ts'
import { insertEventLog } from '../db/logs/log-writes.ts'
import { insertOptionIfNew } from '../db/system/options.ts'
import { adjustWallet, creditInvitation } from '../ledger/adjust.ts'

const INVITATION_CODE_LENGTH = 8

export interface NewAccount {
  readonly username: string
  readonly displayName: string
  readonly passwordHash: string
  /** A verified address in lower case; empty for none. */
  readonly email: string
  /** Id at an identity provider, for accounts that are created by signing in there. */
  readonly identity?: Partial<Record<IdentityColumn, string>>
  /** Undefined without an invitation. */
  readonly inviter: UserRow | undefined
}

interface AccountCreation {
  readonly values: OptionValues
  /** The administrator who creates the account; 0 when users register themselves. */
  readonly actorId: number
  readonly requestId: string
}

/**
 * Creates a regular user in the given transaction and grants the quota that the options set for new users, invited
 * users and inviters. Returns undefined when the name, the address or the identity is taken.
 */
export async function createAccount(
  tx: Database,
  account: NewAccount,
  creation: AccountCreation,
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
  const { QuotaForNewUser, QuotaForInvitee } = creation.values
  const user = { id, username: account.username }
  await grantQuota(
    tx,
    { user, amount: QuotaForNewUser, reason: { zh: '新用户注册赠送', en: 'Credit for a new user' } },
    creation,
  )
  if (account.inviter) {
    await grantQuota(
      tx,
      {
        user,
        amount: QuotaForInvitee,
        reason: { zh: '使用邀请码赠送', en: 'Credit for using an invitation code' },
      },
      creation,
    )
    await rewardInviter(tx, account.inviter, creation)
  }
  return findUser(tx, id)
}

interface QuotaGrant {
  readonly user: Pick<UserRow, 'id' | 'username'>
  readonly amount: number
  readonly reason: BothLanguages
}

async function grantQuota(tx: Database, grant: QuotaGrant, creation: AccountCreation): Promise<void> {
  const { user, amount, reason } = grant
  if (amount === 0) return
  const { actorId, requestId } = creation
  await adjustWallet(tx, { userId: user.id, amount, kind: 'gift', actorId, reason, requestId })
  await logGrant(tx, grant, creation)
}

/** Invitations are counted even when the reward is 0. */
async function rewardInviter(tx: Database, inviter: UserRow, creation: AccountCreation): Promise<void> {
  const amount = quota(creation.values.QuotaForInviter)
  const { actorId, requestId } = creation
  const reason = { zh: '邀请用户赠送', en: 'Reward for an invitation' }
  await incrementInvitationCount(tx, inviter.id)
  if (amount === 0) return
  await creditInvitation(tx, { userId: inviter.id, amount, actorId, reason, requestId })
  await logGrant(tx, { user: inviter, amount, reason }, creation)
}

const logGrant = (
  tx: Database,
  { user, amount, reason }: QuotaGrant,
  { values, requestId }: AccountCreation,
) => {
  const shown = formatQuota(amount, values)
  return insertEventLog(tx, {
    type: LOG_TYPE.system,
    userId: user.id,
    username: user.username,
    content: { zh: `${reason.zh} ${shown.zh}`, en: `${reason.en}: ${shown.en}` },
    quota: amount,
    requestId,
  })
}

const ROOT_NAME = 'root'
const ROOT_QUOTA = quota(100_000_000)
const RANDOM_PASSWORD_LENGTH = 16
const ROOT_INVITATION_CODE_LENGTH = 8

/** Requests move on to up to two other channels. Installations from before keep the default, which is none. */
const RETRIES = { key: 'RetryTimes', value: '2' }

interface FirstRootOptions {
  readonly db: Database
  /** Chosen by the operator; a random one by default. */
  readonly password?: string
}

/**
 * Creates the super administrator of a new installation with an initial quota, and switches retries on. Returns the random password, to be shown
 * once and changed at the first sign-in; undefined when the operator chose it or a super administrator exists.
 */
export async function createFirstRoot({
  db,
  password: chosen,
}: FirstRootOptions): Promise<string | undefined> {
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
  const isCreated = await inTransaction(db, async tx => {
    const id = await insertUserIfNew(tx, user)
    if (id === undefined) return false
    await insertOptionIfNew(tx, RETRIES)
    await adjustWallet(tx, {
      userId: id,
      amount: ROOT_QUOTA,
      kind: 'gift',
      actorId: 0,
      reason: { zh: '首个账户的初始额度', en: 'Balance of the first account' },
      requestId: '',
    })
    return true
  })
  return isCreated && chosen === undefined ? password : undefined
}
