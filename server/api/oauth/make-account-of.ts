import { USERNAME_LENGTH_MAX } from '#contract/accounts/users.ts'
import { randomAlphanumeric } from '../../core/ids.ts'
import { inTransaction } from '../../db/database.ts'
import { findUserByUniqueColumn } from '../../db/identities.ts'
import { findInviter } from '../../db/invitations.ts'
import type { UserRow } from '../../db/users.ts'
import type { Identity } from '../../integrations/identity.ts'
import type { ApiContext } from '../context.ts'
import { makeAccount } from '../make-account.ts'
import { refuse } from './refuse.ts'
import type { Way } from './ways.ts'

const NAME_ATTEMPTS_MAX = 5
const DISPLAY_NAME_LENGTH_MAX = 20

/** Makes an account without a password for somebody new, under a name of the party's and random letters. */
export async function makeAccountOf(
  identity: Identity,
  way: Way,
  aff: string,
  context: Pick<ApiContext, 'db' | 'settings' | 'requestId'>,
): Promise<UserRow> {
  const { db, settings, requestId } = context
  const { values } = settings.current()
  if (!values.RegisterEnabled) throw refuse('registration_off')
  for (let attempt = 0; attempt < NAME_ATTEMPTS_MAX; attempt += 1) {
    const made = await inTransaction(db, async tx => {
      const inviter = aff ? await findInviter(tx, aff) : undefined
      const isAddressTaken = identity.email !== '' && (await findUserByUniqueColumn(tx, 'email', identity.email))
      const account = {
        username: nameOf(way),
        displayName: displayNameOf(identity, way),
        passwordHash: '',
        email: isAddressTaken ? '' : identity.email,
        identity: { [way.column]: identity.id },
        inviter,
      }
      return makeAccount(tx, account, { values, actorId: 0, requestId })
    })
    const user = made ?? (await findUserByUniqueColumn(db, way.column, identity.id))
    if (user) return user
  }
  throw new Error(`no free name was found in ${NAME_ATTEMPTS_MAX} attempts`)
}

const nameOf = ({ prefix }: Way): string => `${prefix}_${randomAlphanumeric(USERNAME_LENGTH_MAX - prefix.length - 1)}`

const displayNameOf = ({ name }: Identity, { party }: Way): string =>
  [...(name.trim() || `${party} User`)].slice(0, DISPLAY_NAME_LENGTH_MAX).join('')
