import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { resetAccessTokenByPost } from '#contract/entities/user.ts'
import type { Role } from '#contract/enums.ts'
import { putOptions } from '#contract/options/options.ts'
import type { Presence } from '#contract/presence.ts'
import { manageUser, updateUser } from '#features/users/contract.ts'
import { loadRoutes, openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'
import { describeTimeAhead } from '../testing/time-ahead.ts'

const ELEVEN_MINUTES_MS = 11 * 60_000
const RECENT_SIGN_IN_REQUIRED = { status: 403, code: 'auth.recent_sign_in_required' }

const endpoints = (await loadRoutes()).map(({ endpoint }) => endpoint)
const guarded = endpoints.filter(({ needs }) => needs !== undefined)

let app: TestApp
const time = describeTimeAhead()
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(async () => {
  await app.close()
})

const namesOf = (list: readonly AnyEndpoint[]) => list.map(({ method, path }) => `${method} ${path}`).sort()

test('these endpoints need the account owner at the screen', () => {
  const needing = (presence: Presence) => namesOf(guarded.filter(({ needs }) => needs === presence))
  expect(needing('recent-sign-in')).toEqual([
    'DELETE /api/oauth/openid/:slug',
    'DELETE /api/oauth/openid/:slug/scim-token',
    'DELETE /api/oauth/openid/self/:slug',
    'DELETE /api/organization/',
    'DELETE /api/user/:id/factors',
    'DELETE /api/user/:id/identities/:slug',
    'DELETE /api/user/factor/:id',
    'DELETE /api/user/self',
    'GET /api/oauth/email/bind',
    'GET /api/user/token',
    'POST /api/device/approve',
    'POST /api/oauth/email/bind',
    'POST /api/oauth/openid/',
    'POST /api/oauth/openid/:slug/scim-token',
    'POST /api/oauth/unbind',
    'POST /api/token/keys',
    'POST /api/user/access_tokens',
    'POST /api/user/factor/passkey',
    'POST /api/user/factor/passkey/challenge',
    'POST /api/user/factor/recovery',
    'POST /api/user/factor/totp',
    'POST /api/user/factor/totp/confirm',
    'POST /api/user/token',
    'PUT /api/oauth/openid/:slug',
  ])
  expect(needing('recent-session')).toEqual([
    'GET /api/analytics/export',
    'GET /api/audit/export',
    'GET /api/focus/export',
    'GET /api/log/export',
    'GET /api/reconciliation/:id/export',
    'POST /api/option/rest_model_ratio',
    'POST /api/price_update/approve',
    'POST /api/price_update/undo',
  ])
  expect(namesOf(endpoints.filter(({ needsFor }) => needsFor !== undefined))).toEqual([
    'POST /api/user/manage',
    'PUT /api/option/',
    'PUT /api/user/',
  ])
})

test('exports of what other users did are guarded, and nobody else can export it', () => {
  const exports = endpoints.filter(({ produces, role }) => produces === 'text/csv' && role !== 'user')
  expect(exports.filter(({ needs }) => needs === undefined)).toEqual([])
})

const send = async (
  client: TestClient,
  { method, path }: AnyEndpoint,
  { headers = {}, body = {} }: { headers?: Record<string, string>; body?: unknown } = {},
) => {
  const init = { method, headers, ...(method !== 'GET' && { body: JSON.stringify(body) }) }
  const response = await client.fetch(path.replace(':id', '999999'), init)
  const text = await response.text()
  return { status: response.status, code: text.startsWith('{') ? JSON.parse(text).code : undefined }
}

async function tokenHeaders(user: TestClient) {
  const { data: accessToken } = await user.call(resetAccessTokenByPost)
  return { authorization: `Bearer ${accessToken}`, 'new-api-user': String(user.id) }
}

test.each(guarded)('$method $path rejects an older session', async endpoint => {
  const user = await addUser(endpoint.role)
  const byToken = await send(app.visitor, endpoint, { headers: await tokenHeaders(user) })
  if (endpoint.needs === 'recent-sign-in') expect(byToken).toEqual(RECENT_SIGN_IN_REQUIRED)
  else expect(byToken.code).not.toBe(RECENT_SIGN_IN_REQUIRED.code)
  expect((await send(user, endpoint)).code).not.toBe(RECENT_SIGN_IN_REQUIRED.code)
  const other = await addUser(endpoint.role)
  time.skippedMs = ELEVEN_MINUTES_MS
  expect(await send(other, endpoint)).toEqual(RECENT_SIGN_IN_REQUIRED)
})

const option = (key: string, value: string) => ({ key, value })
interface GuardedInput {
  readonly endpoint: AnyEndpoint
  readonly body: (userId: number, ownId: number) => unknown
  readonly byToken?: 'rejected'
  readonly isFree?: true
}
const INPUTS: Readonly<Record<string, GuardedInput>> = {
  'a promotion': { endpoint: manageUser, body: id => ({ id, action: 'promote' }) },
  'a ban': { endpoint: manageUser, body: id => ({ id, action: 'disable' }), isFree: true },
  'a password of somebody else': { endpoint: updateUser, body: id => ({ id, password: 'a new password' }) },
  'an own name': { endpoint: updateUser, body: (_, id) => ({ id, username: 'me' }), byToken: 'rejected' },
  'a display name': { endpoint: updateUser, body: id => ({ id, display_name: 'Bob' }), isFree: true },
  'a price': { endpoint: putOptions, body: () => option('ModelPrice', '{"m":1}') },
  'a group ratio': { endpoint: putOptions, body: () => option('GroupRatio', '{"default":2}') },
  'the feed of prices': { endpoint: putOptions, body: () => option('PriceFeedUrl', 'https://feed.example') },
  'the key of the payment provider': { endpoint: putOptions, body: () => option('EpayKey', 'secret') },
  'a way to sign in': { endpoint: putOptions, body: () => option('GitHubClientId', 'other') },
  'the address of the server': {
    endpoint: putOptions,
    body: () => option('ServerAddress', 'https://thief.example'),
    byToken: 'rejected',
  },
  'one guarded option among others': {
    endpoint: putOptions,
    body: () => [option('SystemName', 'Gate'), option('SMTPServer', 'thief.example')],
    byToken: 'rejected',
  },
  'an announcement': { endpoint: putOptions, body: () => option('Notice', 'Hello'), isFree: true },
  'an address that stays': { endpoint: putOptions, body: () => option('ServerAddress', ''), isFree: true },
}

test.each(Object.entries(INPUTS))(
  'guards %s as the contract says',
  async (_, { endpoint, body, byToken, isFree }) => {
    const root = await addUser('root')
    const { id } = await addUser('user')
    const sent = { body: body(id, root.id) }
    const headers = await tokenHeaders(root)
    time.skippedMs = ELEVEN_MINUTES_MS
    const { code } = await send(root, endpoint, sent)
    expect(code === RECENT_SIGN_IN_REQUIRED.code).toBe(!isFree)
    const withToken = await send(app.visitor, endpoint, { ...sent, headers })
    expect(withToken.code === RECENT_SIGN_IN_REQUIRED.code).toBe(byToken === 'rejected')
  },
)

let users = 0
const addUser = (role: Role): Promise<TestClient> =>
  app.addUser({ username: `user-${++users}`, ...(role !== 'visitor' && { role }) })
