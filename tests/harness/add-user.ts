import { sameInBoth } from '#server/core/language.ts'
import { insertUserIfNew } from '#server/db/accounts/users.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import { type AdminClient, signIn } from './api-client.ts'
import { inDatabase } from './in-database.ts'
import type { RunningGateway } from './start-gateway.ts'

export const USER_PASSWORD = 'user-of-the-test'
const ORDINARY_USER = 1

interface NewUser {
  readonly username: string
  /** Balance in units. */
  readonly wallet: number
}

/** Creates a regular user with a balance and signs in as that user. */
export async function addUser(gateway: RunningGateway, { username, wallet }: NewUser): Promise<AdminClient> {
  const passwordHash = await Bun.password.hash(USER_PASSWORD)
  await inDatabase(gateway, db =>
    db.transaction().execute(async tx => {
      const userId = await insertUserIfNew(tx, {
        username,
        display_name: username,
        password_hash: passwordHash,
        must_change_password: 0,
        role: ORDINARY_USER,
        aff_code: username,
        created_at: 1,
      })
      if (userId === undefined) throw new Error(`expected the name ${username} to be free, found it taken`)
      await adjustWallet(tx, {
        userId,
        amount: wallet,
        kind: 'gift',
        actorId: 0,
        reason: sameInBoth('test'),
        requestId: '',
      })
    }),
  )
  return signIn(gateway.url, { username, password: USER_PASSWORD })
}
