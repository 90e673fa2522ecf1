import { RECORDS } from '#contract/audited-records.ts'
import type { PlainRequest, PlainRoute } from '#server/api/plain-route.ts'
import { errorMessage, GatewayError } from '#server/core/errors.ts'
import { KIB } from '#server/core/limits.ts'
import { endAccess } from '#server/db/accounts/sessions.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import type { Services } from '#server/feature.ts'
import { OPENID_PATHS } from '../../contract/openid.ts'
import type { OpenIdClient } from './client.ts'
import { requireAddress, toProvider } from './provider.ts'
import { findProvider, findUserBySubject, listProviders, listUsersOfSid } from './queries.ts'
import { takeSession } from './sign-in.ts'

const FORM_BYTES_MAX = 16 * KIB
const SEE_OTHER = 303
const BAD_REQUEST = 400
/** Source: OpenID Connect Back-Channel Logout 1.0, section 2.7. */
const NO_STORE = { 'cache-control': 'no-store' }
const SIGN_IN_PAGE = '/login'

type LogoutDeps = Pick<Services, 'db' | 'secrets' | 'settings' | 'log' | 'events'>

/** Signing out at the provider after here, and here after at the provider. */
export const createLogoutRoutes = (openId: OpenIdClient, deps: LogoutDeps): readonly PlainRoute[] => [
  { method: 'GET', path: OPENID_PATHS.signOut, respond: call => signOut(call, openId, deps) },
  { method: 'POST', path: OPENID_PATHS.backchannel, respond: call => endSessions(call, openId, deps) },
]

/** Leads the browser to the provider, or to the sign-in page when its session is known no more. */
async function signOut(
  { request, basePath, requestId }: PlainRequest,
  openId: OpenIdClient,
  deps: LogoutDeps,
): Promise<Response> {
  const handle = new URL(request.url).searchParams.get('session') ?? ''
  const location = await endSessionUrl(handle, openId, deps).catch((error: unknown) => {
    deps.log.warn('the sign-out at an OpenID provider failed', {
      request_id: requestId,
      reason: errorMessage(error),
    })
    return undefined
  })
  return new Response(null, {
    status: SEE_OTHER,
    headers: { ...NO_STORE, location: location ?? basePath + SIGN_IN_PAGE },
  })
}

async function endSessionUrl(
  handle: string,
  openId: OpenIdClient,
  deps: LogoutDeps,
): Promise<string | undefined> {
  const session = await takeSession(handle, deps)
  const row = session && (await findProvider(deps.db, session.provider))
  if (!row) return undefined
  return openId.endSessionUrl(
    toProvider(row, deps.secrets),
    deps.secrets.decrypt(session.id_token_sealed),
    requireAddress(deps) + SIGN_IN_PAGE,
  )
}

/**
 * Ends all sessions of whom the provider signs out, on every device, and the access token: the safe side. A wrong token ends nothing.
 * Source: OpenID Connect Back-Channel Logout 1.0, section 2.5.
 */
async function endSessions(call: PlainRequest, openId: OpenIdClient, deps: LogoutDeps): Promise<Response> {
  const { db, secrets, log } = deps
  try {
    const token = new URLSearchParams(await call.readText(FORM_BYTES_MAX)).get('logout_token') ?? ''
    const { decodeJwt } = await import('jose')
    const { iss, aud } = decodeJwt(token)
    const row = (await listProviders(db)).find(
      ({ issuer, client_id }) => isSameIssuer(issuer, iss) && [aud].flat().includes(client_id),
    )
    if (!row) return rejected('the token names no provider of this gateway')
    const { subject, sid } = await openId.verifyLogoutToken(toProvider(row, secrets), token)
    const owner = subject === undefined ? undefined : await findUserBySubject(db, row.slug, subject)
    const ofSid = sid === undefined ? [] : await listUsersOfSid(db, row.slug, sid)
    await endAccessOf([...new Set([...(owner ? [owner.id] : []), ...ofSid])], row.slug, call, deps)
    return new Response(null, { headers: NO_STORE })
  } catch (error) {
    log.warn('a back-channel logout was rejected', {
      request_id: call.requestId,
      reason: errorMessage(error),
    })
    return rejected(error instanceof GatewayError ? error.message : 'the token could not be verified')
  }
}

/** Leaves a row in the audit log, in the transaction of the change. */
const endAccessOf = (
  ids: readonly number[],
  provider: string,
  { clientIp: address, requestId }: PlainRequest,
  { db, secrets, settings, events }: LogoutDeps,
): Promise<void> =>
  inTransaction(db, async tx => {
    const { ended } = await events.changeStarted({
      db: tx,
      secrets,
      options: settings.options,
      credential: 'openid',
      actorName: provider,
      action: `POST ${OPENID_PATHS.backchannel}`,
      record: RECORDS.user,
      rows: { id: ids },
      input: { users: ids },
      address,
      requestId,
    })
    for (const id of ids) await endAccess(tx, id)
    await ended({ code: '' })
  })

/** Only to find the provider, whose own spelling is verified. */
const isSameIssuer = (stored: string, issuer: string | undefined): boolean =>
  stored.replace(/\/$/, '') === issuer?.replace(/\/$/, '')

const rejected = (description: string): Response =>
  Response.json(
    { error: 'invalid_request', error_description: description },
    { status: BAD_REQUEST, headers: NO_STORE },
  )
