import { nowSeconds } from '../core/clock.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import { quota } from '../core/money.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { hasUserWithRole, insertUserIfNew } from '../db/users.ts'
import { adjustWallet } from '../ledger/adjust.ts'
import { ROLE } from './caller.ts'
import { hashPassword } from './passwords.ts'

const ROOT_NAME = 'root'
const ROOT_QUOTA = quota(100_000_000)
const RANDOM_PASSWORD_LETTERS = 16
const INVITATION_CODE_LETTERS = 8

interface FirstRoot {
  readonly db: Database
  /** Chosen by the operator; a random one is made when it is absent. */
  readonly password?: string
}

/**
 * Makes the super administrator of a new installation, with quota to begin with. Gives the random password, which
 * must be shown once and changed; undefined when the operator chose it, or when there is a root already.
 */
export async function createFirstRoot({ db, password: chosen }: FirstRoot): Promise<string | undefined> {
  if (await hasUserWithRole(db, ROLE.root)) return undefined
  const password = chosen ?? randomAlphanumeric(RANDOM_PASSWORD_LETTERS)
  const user = {
    username: ROOT_NAME,
    display_name: 'Root User',
    password_hash: await hashPassword(password),
    must_change_password: chosen === undefined ? 1 : 0,
    role: ROLE.root,
    aff_code: randomAlphanumeric(INVITATION_CODE_LETTERS),
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
