import { USERNAME_LENGTH_MAX, type User } from '#contract/accounts/users.ts'
import { USER_STATUS } from '#contract/enums.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { nowSeconds } from '../../core/clock.ts'
import { constantTimeEqual } from '../../core/crypto.ts'
import { randomAlphanumeric } from '../../core/ids.ts'
import {
  claimUniqueColumn,
  findInviter,
  findUserByUniqueColumn,
  type UserRow,
  updateLastLogin,
} from '../../db/accounts/users.ts'
import { inTransaction } from '../../db/engine/database.ts'
import { identityError, type ProviderIdentity } from '../../integrations/identity-providers.ts'
import type { ApiContext } from '../context.ts'
import { createAccount } from '../create-account.ts'
import type { HandlerResult } from '../handle.ts'
import { toUser } from '../user-view.ts'
import { bindToCaller } from './bindings.ts'
import { oauthError, oauthStateError } from './errors.ts'
import { type OauthProvider, requireEnabled } from './providers.ts'

/** Signs in whoever has this identity. `makeAccount` says what becomes of somebody new; undefined refuses them. */
export async function signInAs(
  identity: ProviderIdentity,
  way: OauthProvider,
  context: Pick<ApiContext, 'db' | 'session'>,
  makeAccount: () => Promise<UserRow>,
): Promise<User> {
  const { db, session } = context
  const user = (await findOwner(identity, way, db)) ?? (await makeAccount())
  if (user.deleted_at !== null) throw oauthError('deregistered')
  if (user.status !== USER_STATUS.enabled) throw oauthError('banned')
  await updateLastLogin(db, user.id, nowSeconds())
  await session.open(user.id)
  return toUser(user)
}

/** Accounts that came from elsewhere keep a name instead of the number: their next sign-in replaces it. */
async function findOwner(
  { id, legacyId }: ProviderIdentity,
  { column }: OauthProvider,
  db: ApiContext['db'],
): Promise<UserRow | undefined> {
  const owner = await findUserByUniqueColumn(db, column, id)
  if (owner || legacyId === undefined || /^\d+$/.test(legacyId)) return owner
  const former = await findUserByUniqueColumn(db, column, legacyId)
  if (former) await claimUniqueColumn(db, former.id, column, id)
  return former && { ...former, [column]: id }
}

const NAME_ATTEMPTS_MAX = 5
const DISPLAY_NAME_LENGTH_MAX = 20

/** Makes an account without a password for somebody new, under a name of the party's and random letters. */
export async function createOauthAccount(
  identity: ProviderIdentity,
  way: OauthProvider,
  aff: string,
  context: Pick<ApiContext, 'db' | 'settings' | 'requestId'>,
): Promise<UserRow> {
  const { db, settings, requestId } = context
  const { values } = settings.current()
  if (!values.RegisterEnabled) throw oauthError('registration_off')
  for (let attempt = 0; attempt < NAME_ATTEMPTS_MAX; attempt += 1) {
    const made = await inTransaction(db, async tx => {
      const inviter = aff ? await findInviter(tx, aff) : undefined
      const isAddressTaken =
        identity.email !== '' && (await findUserByUniqueColumn(tx, 'email', identity.email))
      const account = {
        username: randomUsername(way),
        displayName: toDisplayName(identity, way),
        passwordHash: '',
        email: isAddressTaken ? '' : identity.email,
        identity: { [way.column]: identity.id },
        inviter,
      }
      return createAccount(tx, account, { values, actorId: 0, requestId })
    })
    const user = made ?? (await findUserByUniqueColumn(db, way.column, identity.id))
    if (user) return user
  }
  throw new Error(`no free name was found in ${NAME_ATTEMPTS_MAX} attempts`)
}

const randomUsername = ({ usernamePrefix }: OauthProvider): string =>
  `${usernamePrefix}_${randomAlphanumeric(USERNAME_LENGTH_MAX - usernamePrefix.length - 1)}`

const toDisplayName = ({ name }: ProviderIdentity, { displayName }: OauthProvider): string =>
  [...(name.trim() || `${displayName} User`)].slice(0, DISPLAY_NAME_LENGTH_MAX).join('')

/** What a party sent people back with. */
interface CallbackQuery {
  readonly code: string
  readonly state: string
  readonly error?: string | undefined
  readonly error_description?: string | undefined
}

/**
 * Ends a sign-in that this session began: binds the identity when somebody is signed in, else signs in its owner, who
 * may be new. Whoever did not begin it here is refused before the code is spent.
 */
export async function completeSignIn(
  { code, state, error, error_description }: CallbackQuery,
  way: OauthProvider,
  context: ApiContext,
  ask: (code: string, values: OptionValues) => Promise<ProviderIdentity>,
): Promise<HandlerResult<User | undefined, Record<string, never>>> {
  const begun = await context.session.takeSignInState()
  if (!begun || !constantTimeEqual(state, begun.state)) throw oauthStateError('wrong_state')
  const values = requireEnabled(way, context)
  const { displayName: party } = way
  if (error) throw identityError('declined', { provider: party, reason: error_description || error })
  if (code === '') throw identityError('code_wrong', { provider: party })
  const identity = await ask(code, values)
  if (context.caller.id !== 0) return bindToCaller(identity, way, context)
  const make = () => createOauthAccount(identity, way, begun.aff, context)
  return { data: await signInAs(identity, way, context, make) }
}
