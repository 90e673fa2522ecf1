import { nowSeconds } from '../core/clock.ts'
import { deleteDeviceSignInsOfUser } from '../db/accounts/device-sign-ins.ts'
import { deleteSessionsOfUser } from '../db/accounts/sessions.ts'
import { deleteTokens } from '../db/accounts/tokens.ts'
import { type UserUpdate, updateUser } from '../db/accounts/users.ts'
import type { Database } from '../db/engine/database.ts'

/**
 * The minimum that OWASP's Password Storage Cheat Sheet recommends for argon2id: 19 MiB, two passes. The runtime's
 * default of 64 MiB would dominate the memory peak of the gateway.
 */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, ARGON2ID)

const DUMMY_HASH = Bun.password.hashSync(crypto.randomUUID(), ARGON2ID)

/**
 * Compares a password with an argon2id hash, or with the bcrypt hash of an imported account. An empty hash takes as
 * long as a real one, so that response times do not reveal which accounts exist.
 */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const isMatch = await Bun.password.verify(password, hash || DUMMY_HASH)
  return isMatch && hash !== ''
}

type PasswordColumns = Required<Pick<UserUpdate, 'password_hash' | 'must_change_password'>>

/** Stores a new password. All sessions, the access token and the sign-ins of programs of the user end with the old one. */
export async function replacePassword(tx: Database, userId: number, columns: PasswordColumns): Promise<void> {
  await updateUser(tx, userId, { ...columns, access_token_hash: null })
  await deleteSessionsOfUser(tx, userId)
  const ids = await deleteDeviceSignInsOfUser(tx, userId)
  if (ids.length > 0) await deleteTokens(tx, { userId, ids }, nowSeconds())
}
