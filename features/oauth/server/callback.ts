import type { User } from '#contract/entities/user.ts'
import { USERNAME_LENGTH_MAX } from '#contract/entities/user-fields.ts'
import { USER_STATUS } from '#contract/enums.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { createAccount, type NewAccount } from '#server/accounts/create-account.ts'
import { toSelf } from '#server/accounts/user-view.ts'
import type { ApiContext, SignInState } from '#server/api/context.ts'
import type { HandlerResult } from '#server/api/handle.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { constantTimeEqual } from '#server/core/crypto.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import {
  findInviter,
  findUserByUniqueColumn,
  type UserRow,
  updateLastLogin,
} from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { bindToCaller } from './bindings.ts'
import { oauthError, oauthStateError } from './errors.ts'
import { identityError, type ProviderIdentity } from './identity-providers.ts'
import { type BuiltInProvider, type OauthProvider, requireEnabled } from './providers.ts'

interface SignInSteps {
  /** Called when nobody owns the identity; may throw to reject the sign-in. */
  createUser(): Promise<UserRow>
  /** Brings the account up to date before it is signed in. */
  prepare?(user: UserRow): Promise<UserRow>
}

/** Signs in the owner of an identity. */
export async function signInAs(
  identity: ProviderIdentity,
  provider: OauthProvider,
  context: Pick<ApiContext, 'db' | 'session' | 'secrets'>,
  { createUser, prepare }: SignInSteps,
): Promise<User> {
  const { db, session } = context
  const owner = (await provider.identities.findOwner(db, identity)) ?? (await createUser())
  if (owner.deleted_at !== null) throw oauthError('deregistered')
  if (owner.status !== USER_STATUS.enabled) throw oauthError('banned')
  const user = prepare ? await prepare(owner) : owner
  await updateLastLogin(db, user.id, nowSeconds())
  await session.open(user.id)
  return toSelf(user, context.secrets)
}

const NAME_ATTEMPTS_MAX = 5
const DISPLAY_NAME_LENGTH_MAX = 20

/** Creates an account without a password, named after the provider with a random suffix. */
export async function createOauthAccount(
  identity: ProviderIdentity,
  provider: OauthProvider,
  aff: string,
  context: Pick<ApiContext, 'db' | 'settings' | 'requestId'>,
): Promise<UserRow> {
  const { db, settings, requestId } = context
  const { values } = settings.current()
  for (let attempt = 0; attempt < NAME_ATTEMPTS_MAX; attempt += 1) {
    const username = (attempt === 0 && preferredUsername(identity)) || randomUsername(provider)
    const created = await inTransaction(db, async tx => {
      const account = await draftAccount(tx, identity, provider, aff)
      const user = await createAccount(tx, { ...account, username }, { values, actorId: 0, requestId })
      if (user && !(await provider.identities.claim(tx, user.id, identity))) throw new IdentityTaken()
      return user
    }).catch(undefinedIfTaken)
    const user = created ?? (await provider.identities.findOwner(db, identity))
    if (user) return user
  }
  throw new Error(`no free name was found in ${NAME_ATTEMPTS_MAX} attempts`)
}

/** Another sign-in of the same person was quicker: the account that it created is the one. */
class IdentityTaken extends Error {}

function undefinedIfTaken(error: unknown): undefined {
  if (!(error instanceof IdentityTaken)) throw error
}

/** An address that somebody else has verified stays theirs. */
async function draftAccount(
  tx: Database,
  identity: ProviderIdentity,
  provider: OauthProvider,
  aff: string,
): Promise<Omit<NewAccount, 'username'>> {
  const isAddressTaken = identity.email !== '' && (await findUserByUniqueColumn(tx, 'email', identity.email))
  return {
    displayName: toDisplayName(identity, provider),
    passwordHash: '',
    email: isAddressTaken ? '' : identity.email,
    identity: provider.identities.columnsOf(identity),
    inviter: aff ? await findInviter(tx, aff) : undefined,
  }
}

const USERNAME_CHARS = /[^\p{L}\p{N}._-]/gu

/** The name that a person has at the provider, as far as ours allow it; empty: none. */
const preferredUsername = ({ login = '' }: ProviderIdentity): string =>
  login.replace(USERNAME_CHARS, '').slice(0, USERNAME_LENGTH_MAX)

const randomUsername = ({ usernamePrefix }: OauthProvider): string =>
  `${usernamePrefix}_${randomAlphanumeric(USERNAME_LENGTH_MAX - usernamePrefix.length - 1)}`

const toDisplayName = ({ name }: ProviderIdentity, { displayName }: OauthProvider): string =>
  [...(name.trim() || `${displayName} User`)].slice(0, DISPLAY_NAME_LENGTH_MAX).join('')

/** New accounts where users may register themselves. */
export const registration = (
  identity: ProviderIdentity,
  provider: OauthProvider,
  aff: string,
  context: Pick<ApiContext, 'db' | 'settings' | 'requestId'>,
): SignInSteps => ({
  createUser() {
    if (!context.settings.current().values.RegisterEnabled) throw oauthError('registration_off')
    return createOauthAccount(identity, provider, aff, context)
  },
})

/** Ends the sign-in that this session started and returns it. Throws `oauth.wrong_state` unless it has this state. */
export async function takeStartedSignIn(
  state: string,
  { session }: Pick<ApiContext, 'session'>,
): Promise<SignInState> {
  const started = await session.takeSignInState()
  if (!started || !constantTimeEqual(state, started.state)) throw oauthStateError('wrong_state')
  return started
}

/** The query with which an identity provider redirects back. */
interface CallbackQuery {
  readonly code: string
  readonly state: string
  readonly error?: string | undefined
  readonly error_description?: string | undefined
}

/**
 * Completes a sign-in that this session started: binds the identity to the signed-in user, or else signs in its owner,
 * who may be new. A callback with a foreign state is rejected before its code is exchanged.
 */
export async function completeSignIn(
  { code, state, error, error_description }: CallbackQuery,
  provider: BuiltInProvider,
  context: ApiContext,
  fetchIdentity: (code: string, values: OptionValues) => Promise<ProviderIdentity>,
): Promise<HandlerResult<User | undefined, Record<string, never>>> {
  const started = await takeStartedSignIn(state, context)
  const values = requireEnabled(provider, context)
  const { displayName } = provider
  if (error) throw identityError('declined', { provider: displayName, reason: error_description || error })
  if (code === '') throw identityError('code_wrong', { provider: displayName })
  const identity = await fetchIdentity(code, values)
  if (context.caller.id !== 0) return bindToCaller(identity, provider, context)
  return {
    data: await signInAs(identity, provider, context, registration(identity, provider, started.aff, context)),
  }
}
