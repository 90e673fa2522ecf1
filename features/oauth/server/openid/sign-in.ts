import { LOG_TYPE } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import { ApiError } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import type { UserRow } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import { OPENID_PATHS, type OpenIdOutcome } from '../../contract/openid.ts'
import { bindToCaller } from '../bindings.ts'
import { createOauthAccount, signInAs, takeStartedSignIn } from '../callback.ts'
import { identityError, type ProviderIdentity } from '../identity-providers.ts'
import type { OauthProvider } from '../providers.ts'
import { listGroupNames } from '../scim/queries.ts'
import {
  allGroups,
  findAccessProblem,
  followMemberships,
  mapGroups,
  toIdentity,
  toUserColumns,
} from './access.ts'
import type { AuthorizationRequest, OpenIdClient, VerifiedSignIn } from './client.ts'
import { openIdError } from './errors.ts'
import { callbackOf, type OpenIdProvider, requireAddress, toProvider } from './provider.ts'
import {
  findProvider,
  findUserBySubject,
  insertIdentity,
  insertOpenIdSession,
  takeOpenIdSession,
  updateRoleAndGroup,
} from './queries.ts'
import type { OpenIdSessionTable } from './tables.ts'

const RANDOM_CHARS = 32
const HANDLE_PURPOSE = 'openid-session'
const NONCE_PURPOSE = 'openid-nonce'
const VERIFIER_PURPOSE = 'openid-verifier'
const FACTOR_REQUIRED = 'auth.factor_required'
/** As long as a session may last. */
const SESSION_SECONDS = 30 * 24 * 3600

/** Begins the state of a test, so that nothing else decides what a callback does. */
const TEST = 'test.'

export type OpenIdContext = ApiContext & { readonly openId: OpenIdClient }

/** Throws `openid.unknown` for a provider that does not exist, or is off and not only tested. */
export async function getProvider(
  slug: string,
  { db, secrets }: Pick<ApiContext, 'db' | 'secrets'>,
  { isTest = false } = {},
): Promise<OpenIdProvider> {
  const row = await findProvider(db, slug)
  if (!row || !(row.is_enabled || isTest)) throw openIdError('unknown')
  return toProvider(row, secrets)
}

/**
 * Nonce and PKCE verifier are keyed hashes of the state and the provider: the session keeps only the state, and what belongs
 * to one provider is worth nothing at another.
 */
function toRequest(provider: OpenIdProvider, state: string, context: ApiContext): AuthorizationRequest {
  const { secrets } = context
  const hashed = (purpose: string) => secrets.hash(purpose, `${provider.slug} ${state}`)
  return {
    callback: callbackOf(provider, requireAddress(context)),
    state,
    nonce: hashed(NONCE_PURPOSE),
    verifier: hashed(VERIFIER_PURPOSE),
  }
}

/** Returns the address of the provider at which a sign-in of this session goes on. */
export async function startSignIn(
  provider: OpenIdProvider,
  { aff, isTest }: { readonly aff: string; readonly isTest: boolean },
  context: OpenIdContext,
): Promise<string> {
  const state = (isTest ? TEST : '') + randomAlphanumeric(RANDOM_CHARS)
  const request = toRequest(provider, state, context)
  const url = await fromProvider(provider, context, () => context.openId.authorizationUrl(provider, request))
  await context.session.saveSignInState({ state, aff })
  return url
}

/** Completes a sign-in that this session started: signs the person in, links the identity, or shows what a test found. */
export async function finishSignIn(
  slug: string,
  params: Readonly<Record<string, string>>,
  context: OpenIdContext,
): Promise<OpenIdOutcome> {
  const started = await takeStartedSignIn(params.state ?? '', context)
  const isTest = started.state.startsWith(TEST)
  const provider = await getProvider(slug, context, { isTest })
  if (params.error)
    throw identityError('declined', {
      provider: provider.name,
      reason: params.error_description || params.error,
    })
  const request = toRequest(provider, started.state, context)
  const verified = await fromProvider(provider, context, () =>
    context.openId.verifyCallback(provider, request, params),
  )
  if (isTest) return { is_bound: false, test: await testSignIn(provider, verified, context) }
  const identity = toIdentity(provider, verified.claims)
  if (identity.id === '') throw openIdError('rejected', { provider: provider.name })
  const problem = findAccessProblem(
    provider,
    verified.claims,
    await provisionedGroups(provider, identity, context),
  )
  if (problem) throw problem
  return context.caller.id === 0
    ? signIn(provider, verified, started.aff, context)
    : link(provider, verified, context)
}

/** The groups that SCIM has brought of whom the identity belongs to. */
async function provisionedGroups(
  { slug }: OpenIdProvider,
  { id }: ProviderIdentity,
  { db }: Pick<OpenIdContext, 'db'>,
): Promise<readonly string[]> {
  const owner = await findUserBySubject(db, slug, id)
  return owner ? listGroupNames(db, slug, owner.id) : []
}

/** What the library throws says little to people: the log has it, and a test shows it. */
async function fromProvider<T>(
  provider: OpenIdProvider,
  { log, requestId }: Pick<ApiContext, 'log' | 'requestId'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw error
    log.warn('an OpenID sign-in could not be verified', {
      request_id: requestId,
      provider: provider.slug,
      reason: reasonOf(error),
    })
    throw openIdError('rejected', { provider: provider.name })
  }
}

/** The reason of an error of the library, which wraps that of the connection. */
export function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined }
  return cause instanceof Error ? `${errorMessage(error)} (${errorMessage(cause)})` : errorMessage(error)
}

async function testSignIn(
  provider: OpenIdProvider,
  { claims }: VerifiedSignIn,
  { db, language }: OpenIdContext,
): Promise<NonNullable<OpenIdOutcome['test']>> {
  const identity = toIdentity(provider, claims)
  const owner = await findUserBySubject(db, provider.slug, identity.id)
  const groups = await provisionedGroups(provider, identity, { db })
  const problem = findAccessProblem(provider, claims, groups)
  const access = mapGroups(provider, allGroups(provider, claims, groups))
  return {
    claims,
    problem: problem?.in(language) ?? '',
    username: owner?.username ?? '',
    role: access?.role ?? '',
    group: access?.group ?? '',
  }
}

/** An OpenID provider as the sign-in with other accounts knows them. */
export const toOauthProvider = ({ slug, name }: Pick<OpenIdProvider, 'slug' | 'name'>): OauthProvider => ({
  displayName: name,
  usernamePrefix: slug,
  identities: {
    columnsOf: () => ({}),
    findOwner: (db, { id }) => findUserBySubject(db, slug, id),
    claim: (db, userId, { id }) =>
      insertIdentity(db, { provider: slug, subject: id, user_id: userId, created_at: nowSeconds() }),
  },
})

async function link(
  provider: OpenIdProvider,
  { claims }: VerifiedSignIn,
  context: OpenIdContext,
): Promise<OpenIdOutcome> {
  await bindToCaller(toIdentity(provider, claims), toOauthProvider(provider), context)
  return { is_bound: true }
}

async function signIn(
  provider: OpenIdProvider,
  verified: VerifiedSignIn,
  aff: string,
  context: OpenIdContext,
): Promise<OpenIdOutcome> {
  const identity = toIdentity(provider, verified.claims)
  const oauth = toOauthProvider(provider)
  const user = await signInAs(identity, oauth, context, {
    createUser: () => {
      if (!mayJoin(provider, aff)) throw openIdError('not_invited', { provider: provider.name })
      return createOauthAccount(identity, oauth, aff, context)
    },
    prepare: owner => applyRules(provider, verified, owner, context),
  }).catch(async (error: unknown) => {
    throw await withSignOut(error, provider, verified, context)
  })
  return { is_bound: false, user, ...(await keepSession(provider, verified, user.id, context)) }
}

/** Where the second factor is missing, the provider's session begins all the same, and ends with the sign-in to come. */
async function withSignOut(
  error: unknown,
  provider: OpenIdProvider,
  verified: VerifiedSignIn,
  context: OpenIdContext,
): Promise<unknown> {
  if (!(error instanceof ApiError) || error.code !== FACTOR_REQUIRED) return error
  const owner = await findUserBySubject(context.db, provider.slug, toIdentity(provider, verified.claims).id)
  if (owner) error.data = await keepSession(provider, verified, owner.id, context)
  return error
}

const mayJoin = ({ provisioning }: OpenIdProvider, aff: string): boolean =>
  provisioning === 'everyone' || (provisioning === 'invited' && aff !== '')

/** Role, group and memberships follow the provider with each sign-in. Super administrators keep role and group. */
async function applyRules(
  provider: OpenIdProvider,
  { claims }: VerifiedSignIn,
  user: UserRow,
  { db, events, requestId }: OpenIdContext,
): Promise<UserRow> {
  const groups = allGroups(provider, claims, await listGroupNames(db, provider.slug, user.id))
  const access = mapGroups(provider, groups)
  return inTransaction(db, async tx => {
    await followMemberships(tx, { provider, userId: user.id, groups }, { events, requestId })
    if (!access) return user
    const columns = toUserColumns(access)
    if (!(await updateRoleAndGroup(tx, user.id, columns))) return user
    await insertEventLog(tx, {
      type: LOG_TYPE.management,
      userId: user.id,
      username: user.username,
      content: {
        zh: `${provider.name} 登录将角色设为 ${access.role}，分组设为 ${access.group}`,
        en: `The sign-in with ${provider.name} set the role to ${access.role} and the group to ${access.group}`,
      },
      requestId,
    })
    return { ...user, ...columns }
  })
}

/** Remembers the provider's session, so that either side can end the other. */
async function keepSession(
  provider: OpenIdProvider,
  { claims, idToken }: VerifiedSignIn,
  userId: number,
  context: OpenIdContext,
): Promise<Pick<OpenIdOutcome, 'sign_out_url'>> {
  const { db, secrets } = context
  const handle = randomAlphanumeric(RANDOM_CHARS)
  const now = nowSeconds()
  await insertOpenIdSession(
    db,
    {
      handle_hash: secrets.hash(HANDLE_PURPOSE, handle),
      provider: provider.slug,
      user_id: userId,
      sid: typeof claims.sid === 'string' ? claims.sid : '',
      id_token_sealed: secrets.encrypt(idToken),
      expires_at: now + SESSION_SECONDS,
    },
    now,
  )
  if (!provider.signs_out) return {}
  return {
    sign_out_url: `${requireAddress(context)}${OPENID_PATHS.signOut}?session=${handle}`,
  }
}

/** The session that a browser kept the handle of; a handle works once. */
export const takeSession = (
  handle: string,
  { db, secrets }: Pick<ApiContext, 'db' | 'secrets'>,
): Promise<OpenIdSessionTable | undefined> => takeOpenIdSession(db, secrets.hash(HANDLE_PURPOSE, handle))
