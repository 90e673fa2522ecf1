import type { User } from '#contract/entities/user.ts'
import { USERNAME_LENGTH_MAX } from '#contract/entities/user-fields.ts'
import { USER_STATUS } from '#contract/enums.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { createAccount } from '#server/accounts/create-account.ts'
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
import { inTransaction } from '#server/db/engine/database.ts'
import { bindToCaller } from './bindings.ts'
import { oauthError, oauthStateError } from './errors.ts'
import { findIdentityOwner } from './identity-owner.ts'
import { identityError, type ProviderIdentity } from './identity-providers.ts'
import { type OauthProvider, requireEnabled } from './providers.ts'

/** Signs in the owner of an identity. `createUser` is called when nobody owns it and may throw to reject the sign-in. */
export async function signInAs(
  identity: ProviderIdentity,
  provider: OauthProvider,
  context: Pick<ApiContext, 'db' | 'session' | 'secrets'>,
  createUser: () => Promise<UserRow>,
): Promise<User> {
  const { db, session } = context
  const user = (await findIdentityOwner(identity, provider, db)) ?? (await createUser())
  if (user.deleted_at !== null) throw oauthError('deregistered')
  if (user.status !== USER_STATUS.enabled) throw oauthError('banned')
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
  if (!values.RegisterEnabled) throw oauthError('registration_off')
  for (let attempt = 0; attempt < NAME_ATTEMPTS_MAX; attempt += 1) {
    const created = await inTransaction(db, async tx => {
      const inviter = aff ? await findInviter(tx, aff) : undefined
      const isAddressTaken =
        identity.email !== '' && (await findUserByUniqueColumn(tx, 'email', identity.email))
      const account = {
        username: randomUsername(provider),
        displayName: toDisplayName(identity, provider),
        passwordHash: '',
        email: isAddressTaken ? '' : identity.email,
        identity: { [provider.column]: identity.id },
        inviter,
      }
      return createAccount(tx, account, { values, actorId: 0, requestId })
    })
    const user = created ?? (await findUserByUniqueColumn(db, provider.column, identity.id))
    if (user) return user
  }
  throw new Error(`no free name was found in ${NAME_ATTEMPTS_MAX} attempts`)
}

const randomUsername = ({ usernamePrefix }: OauthProvider): string =>
  `${usernamePrefix}_${randomAlphanumeric(USERNAME_LENGTH_MAX - usernamePrefix.length - 1)}`

const toDisplayName = ({ name }: ProviderIdentity, { displayName }: OauthProvider): string =>
  [...(name.trim() || `${displayName} User`)].slice(0, DISPLAY_NAME_LENGTH_MAX).join('')

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
  provider: OauthProvider,
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
  const createUser = () => createOauthAccount(identity, provider, started.aff, context)
  return { data: await signInAs(identity, provider, context, createUser) }
}
