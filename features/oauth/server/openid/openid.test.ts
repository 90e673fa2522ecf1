import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { getReauthentication } from '#contract/accounts/reauthentication.ts'
import { getSelf } from '#contract/entities/user.ts'
import { getInvitationCode } from '#features/account/contract.ts'
import { listAuditLog } from '#features/audit-log/contract/audit-log.ts'
import { setClock } from '#server/core/clock.ts'
import { send } from '#server/http-client/send.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createTestClient, type TestClient } from '#server/testing/test-client.ts'
import {
  listOpenIdIdentities,
  listOwnOpenIdIdentities,
  removeOpenIdIdentity,
  unlinkOpenIdIdentity,
} from '../../contract/identities.ts'
import {
  createOpenIdProvider,
  deleteOpenIdProvider,
  finishOpenIdSignIn,
  listOpenIdButtons,
  listOpenIdProviders,
  OPENID_PATHS,
  type OpenIdProviderSettings,
  startOpenIdSignIn,
  testOpenIdProvider,
  updateOpenIdProvider,
} from '../../contract/openid.ts'
import {
  CLIENT_ID,
  openScriptedProvider,
  PERSON,
  type Script,
  type ScriptedProvider,
} from '../testing/scripted-provider.ts'

const SECRET = 'a-client-secret-of-the-provider'
const params = { slug: 'company' }

let provider: ScriptedProvider
let app: TestApp
beforeEach(async () => {
  provider = await openScriptedProvider()
  app = await openTestApp({ parts: { send } })
  await app.root.fetch('/api/option/', {
    method: 'PUT',
    body: JSON.stringify({ key: 'ServerAddress', value: 'https://gate.example' }),
  })
})
afterEach(async () => {
  await app.close()
  await provider.close()
})

const settings = (more: Partial<OpenIdProviderSettings> = {}): OpenIdProviderSettings => ({
  name: 'Company',
  issuer: provider.url,
  client_id: CLIENT_ID,
  client_secret: SECRET,
  is_enabled: true,
  scopes: 'openid profile email groups',
  provisioning: 'everyone',
  domains: [],
  subject_claim: 'sub',
  groups_claim: 'groups',
  required_groups: [],
  rules: [],
  memberships: [],
  signs_out: false,
  ...more,
})

async function add(more: Partial<OpenIdProviderSettings> = {}): Promise<void> {
  const response = await app.root.call(createOpenIdProvider, { body: { slug: 'company', ...settings(more) } })
  expect(response).toMatchObject({ success: true, message: '' })
}

/** A browser that has started a sign-in, and the address it was sent to. */
async function begin({ client = app.visitor, aff = '', isTest = false }: Attempt = {}) {
  const response = isTest
    ? await client.call(testOpenIdProvider, { params })
    : await client.call(startOpenIdSignIn, { params, body: { aff } })
  expect(response).toMatchObject({ success: true, message: '' })
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? client.cookie
  return { url: response.data.url, browser: createTestClient(app.app, { id: client.id, cookie }) }
}

interface Attempt {
  readonly client?: TestClient
  readonly aff?: string
  readonly isTest?: boolean
}

async function signIn(attempt: Attempt = {}) {
  const { url, browser } = await begin(attempt)
  return browser.call(finishOpenIdSignIn, { params, body: { params: provider.authorize(url) } })
}

const usernames = async () =>
  (await app.db.selectFrom('users').select('username').execute()).map(({ username }) => username).sort()
const sessionsOf = async (userId: number) =>
  (await app.db.selectFrom('sessions').select('id_hash').where('user_id', '=', userId).execute()).length

describe('a sign-in with an OpenID provider', () => {
  test('asks with state, nonce and PKCE, and sends the verifier with the code', async () => {
    await add()
    const { url, browser } = await begin()
    const query = Object.fromEntries(new URL(url).searchParams)
    expect(query).toMatchObject({
      client_id: CLIENT_ID,
      response_type: 'code',
      redirect_uri: 'https://gate.example/oauth/company',
      scope: 'openid profile email groups',
      code_challenge_method: 'S256',
    })
    await browser.call(finishOpenIdSignIn, { params, body: { params: provider.authorize(url) } })
    const exchange = provider.requests.find(({ url: { pathname } }) => pathname === '/token')
    const form = new URLSearchParams(exchange?.body)
    const challenge = new Bun.CryptoHasher('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    expect(challenge).toBe(query.code_challenge ?? '')
    const [, credentials = ''] = exchange?.headers.get('authorization')?.split(' ') ?? []
    expect(decodeURIComponent(atob(credentials))).toBe(`${CLIENT_ID}:${SECRET}`)
  })

  test('creates an account of the name at the provider and signs it in', async () => {
    await add()
    const response = await signIn()
    expect(response.data.user).toMatchObject({
      username: 'ann',
      display_name: 'Ann Example',
      email: 'ann@example.com',
      role: 1,
    })
    const id = response.data.user?.id ?? 0
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect((await createTestClient(app.app, { id, cookie }).call(getSelf)).data.id).toBe(id)
    expect((await signIn()).data.user?.id).toBe(id)
  })

  test('never links an account by its name or address', async () => {
    await add()
    const ann = await app.addUser({ username: 'ann' })
    await app.db.updateTable('users').set({ email: 'ann@example.com' }).where('id', '=', ann.id).execute()
    const { user } = (await signIn()).data
    expect(user?.id).not.toBe(ann.id)
    expect(user).toMatchObject({ username: expect.stringMatching(/^company_/), email: '' })
  })

  test('creates one account in six first sign-ins at once', async () => {
    await add()
    const before = (await usernames()).length
    const started = await Promise.all(Array.from({ length: 6 }, () => begin()))
    const done = await Promise.all(
      started.map(({ url, browser }) =>
        browser.call(finishOpenIdSignIn, { params, body: { params: provider.authorize(url) } }),
      ),
    )
    expect(new Set(done.map(({ data }) => data.user?.id)).size).toBe(1)
    expect((await usernames()).length).toBe(before + 1)
  })

  test('links the identity of who is signed in, after a recent sign-in only', async () => {
    await add()
    const ann = await app.addUser({ username: 'anna' })
    expect((await signIn({ client: ann })).data).toMatchObject({ is_bound: true })
    expect((await signIn()).data.user?.id).toBe(ann.id)
    expect((await ann.call(listOwnOpenIdIdentities)).data).toMatchObject([
      { slug: 'company', name: 'Company' },
    ])
    const restore = setClock({ nowMs: () => Date.now() + 601_000, elapsedMs: () => 0 })
    try {
      expect((await ann.call(getReauthentication)).data.is_recent).toBe(false)
      provider.script = {
        claims: { sub: 'subject-2' },
        userInfo: () => Response.json({ ...PERSON, sub: 'subject-2' }),
      }
      expect((await signIn({ client: ann })).code).toBe('auth.recent_sign_in_required')
    } finally {
      restore()
    }
  })

  test('is unlinked by an administrator of a higher role, which ends the access and leaves a row', async () => {
    await add()
    const ann = await app.addUser({ username: 'anna' })
    await signIn({ client: ann })
    const admin = await app.addUser({ username: 'admin', role: 'admin' })
    const other = await app.addUser({ username: 'other', role: 'admin' })
    const of = (id: number) => ({ params: { id, slug: 'company' } })
    expect((await admin.call(listOpenIdIdentities, of(ann.id))).data).toMatchObject([{ slug: 'company' }])
    expect((await ann.call(listOpenIdIdentities, of(ann.id))).code).toBe('auth.no_permission')
    expect((await admin.call(listOpenIdIdentities, of(other.id))).code).toBe('user.no_permission')
    expect((await admin.call(removeOpenIdIdentity, of(other.id))).code).toBe('user.no_permission')
    expect((await admin.call(removeOpenIdIdentity, of(ann.id))).success).toBe(true)
    expect((await admin.call(removeOpenIdIdentity, of(ann.id))).code).toBe('oauth.not_bound')
    expect((await ann.call(getSelf)).success).toBe(false)
    const query = { p: 1, page_size: 1, action: 'DELETE /api/user/', search: 'subject-1' }
    const { items } = (await app.root.call(listAuditLog, { query })).data
    expect(items).toMatchObject([{ actor_name: 'admin', kind: 'identity', code: '' }])
  })

  test('unlinks an identity as long as another way to sign in remains', async () => {
    await add()
    const ann = await app.addUser({ username: 'anna' })
    await signIn({ client: ann })
    expect((await ann.call(unlinkOpenIdIdentity, { params })).success).toBe(true)
    const { items } = (await app.root.call(listAuditLog, { query: { p: 1, page_size: 1 } })).data
    expect(items).toMatchObject([{ actor_name: 'anna', kind: 'identity', after: { [params.slug]: null } }])
    expect((await ann.call(unlinkOpenIdIdentity, { params })).code).toBe('oauth.not_bound')
    await signIn({ client: ann })
    await app.db.updateTable('users').set({ password_hash: '' }).where('id', '=', ann.id).execute()
    expect((await ann.call(unlinkOpenIdIdentity, { params })).code).toBe('oauth.last_way')
    expect((await signIn()).data.user?.id).toBe(ann.id)
  })

  test('rejects banned and deregistered users', async () => {
    await add()
    const id = (await signIn()).data.user?.id ?? 0
    await app.db.updateTable('users').set({ status: 2 }).where('id', '=', id).execute()
    expect((await signIn()).code).toBe('oauth.banned')
    await app.db.updateTable('users').set({ deleted_at: 1 }).where('id', '=', id).execute()
    expect((await signIn()).code).toBe('oauth.deregistered')
  })
})

describe('who may sign in', () => {
  test('is decided by verified domains, groups and invitations, and nobody is created otherwise', async () => {
    await add({ domains: ['example.com'], required_groups: ['employees'], provisioning: 'invited' })
    const before = await usernames()
    provider.script = { claims: { email: 'ann@example.com.evil.test' } }
    expect((await signIn()).code).toBe('openid.domain')
    provider.script = {
      claims: { email_verified: false },
      userInfo: () => Response.json({ ...PERSON, email_verified: true }),
    }
    expect((await signIn()).code).toBe('openid.domain')
    provider.script = { claims: { groups: ['guests'] } }
    expect((await signIn()).code).toBe('openid.groups')
    provider.script = {}
    expect((await signIn()).code).toBe('openid.not_invited')
    expect(await usernames()).toEqual(before)
    const { data: aff } = await app.root.call(getInvitationCode)
    expect((await signIn({ aff })).data.user).toMatchObject({ username: 'ann', inviter_id: app.root.id })
  })

  test('follows the groups of the provider in role and group with each sign-in, super administrators excepted', async () => {
    await add({
      rules: [
        { value: 'gateway-admins', role: 'admin', group: '' },
        { value: 'employees', role: 'user', group: 'vip' },
      ],
    })
    expect((await signIn()).data.user).toMatchObject({ role: 1, group: 'vip' })
    provider.script = { claims: { groups: ['employees', 'gateway-admins'] } }
    expect((await signIn()).data.user).toMatchObject({ role: 10, group: 'default' })
    provider.script = { claims: { groups: 'none' } }
    expect((await signIn()).data.user).toMatchObject({ role: 1, group: 'default' })
    provider.script = { claims: { sub: 'root' }, userInfo: () => Response.json({ ...PERSON, sub: 'root' }) }
    expect((await signIn({ client: app.root })).data.is_bound).toBe(true)
    expect((await signIn()).data.user).toMatchObject({ id: app.root.id, role: 100 })
  })

  test('is shown by a test that signs nobody in and changes nothing, even while the provider is off', async () => {
    await add({
      is_enabled: false,
      required_groups: ['others'],
      rules: [{ value: 'employees', role: 'admin', group: 'vip' }],
    })
    const before = await usernames()
    const { data, headers } = await signIn({ client: app.root, isTest: true })
    expect(data.test).toMatchObject({
      claims: { sub: PERSON.sub, email: PERSON.email },
      problem: expect.stringContaining('groups'),
      username: '',
      role: 'admin',
      group: 'vip',
    })
    expect(data.user).toBeUndefined()
    expect(headers.getSetCookie()).toEqual([])
    expect(await usernames()).toEqual(before)
    expect((await app.visitor.call(startOpenIdSignIn, { params, body: {} })).code).toBe('openid.unknown')
    const admin = await app.addUser({ username: 'bert', role: 'admin' })
    expect((await admin.call(testOpenIdProvider, { params })).code).toBe('auth.no_permission')
  })
})

/** Tokens that are no honest ones. */
const unsigned = (token: string) =>
  `${btoa(JSON.stringify({ alg: 'none' })).replaceAll('=', '')}.${token.split('.')[1]}.`
const signedWithPublicKey = async (token: string) => {
  const { SignJWT, decodeJwt } = await import('jose')
  const secret = new TextEncoder().encode(JSON.stringify(provider.publicKey))
  return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(secret)
}
const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset
const large = () => new Response(`{"issuer":"${'x'.repeat(10 * 1024 * 1024)}"}`)
const endless = () =>
  new Response(
    new ReadableStream({
      pull: controller => controller.enqueue(new TextEncoder().encode('{"keys":['.repeat(10_000))),
    }),
  )
const elsewhere = (field: string) => (honest: object) =>
  Response.json({ ...honest, [field]: 'http://169.254.169.254/latest/meta-data' })

/** What hostile or broken providers, and those between, can do: each is refused, and creates and signs in nobody. */
const HOSTILE: Readonly<Record<string, Script>> = {
  'another issuer in the token': { claims: { iss: 'https://evil.example' } },
  'no issuer in the token': { claims: { iss: undefined } },
  'an issuer that only begins alike': { claims: { iss: `http://127.0.0.1.evil.example` } },
  'another audience': { claims: { aud: 'another-client' } },
  'no audience': { claims: { aud: undefined } },
  'several audiences and another authorized party': { claims: { aud: [CLIENT_ID, 'other'], azp: 'other' } },
  'another nonce': { claims: { nonce: 'replayed' } },
  'no nonce': { claims: { nonce: undefined } },
  'an expired token': { claims: { exp: seconds(-600), iat: seconds(-900) } },
  'no expiry': { claims: { exp: undefined } },
  'an expiry as text': { claims: { exp: 'never' } },
  'no time of issue': { claims: { iat: undefined } },
  'a token of the future': { claims: { nbf: seconds(3600) } },
  'no subject': { claims: { sub: undefined } },
  'a subject that is a number': { claims: { sub: 1 } },
  'another key': { isForeignKey: true },
  'a key that is not published': { header: { kid: 'key-2' }, isForeignKey: true },
  'an unsigned token': { toToken: unsigned },
  'a token signed with the public key as a secret': { toToken: signedWithPublicKey },
  'a header with what must be understood': {
    toToken(token) {
      const [, payload, signature] = token.split('.')
      const header = JSON.stringify({ alg: 'RS256', kid: 'key-1', crit: ['unknown'], unknown: true })
      return `${btoa(header).replaceAll('=', '')}.${payload}.${signature}`
    },
  },
  'a cut signature': { toToken: token => token.slice(0, -20) },
  'a changed payload': {
    toToken(token) {
      const [head, , signature] = token.split('.')
      return `${head}.${btoa(JSON.stringify({ sub: 'root' })).replaceAll('=', '')}.${signature}`
    },
  },
  'no token': { toToken: () => '' },
  'a token that is none': { toToken: () => 'a.b.c' },
  'user info of somebody else': { userInfo: () => Response.json({ ...PERSON, sub: 'subject-2' }) },
  'user info that is a page': { userInfo: () => new Response('<html>') },
  'a token response that is a page': {
    token: () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
  },
  'a redirect in place of a token': { token: () => Response.redirect('https://evil.example') },
  'an endless token response': { token: endless },
  'endless keys': { keys: endless },
  'keys of ten megabytes': { keys: large },
  'keys that are none': { keys: () => Response.json({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }) },
  'a callback of another issuer': { callback: { iss: 'https://evil.example' } },
  'a callback without an issuer where one was promised': { callback: { iss: undefined } },
  'a callback without a code': { callback: { code: undefined } },
  'a wrong code': { callback: { code: 'stolen' } },
  'a callback with an ID token from the front': { callback: { code: undefined, id_token: 'a.b.c' } },
}

describe('nobody is signed in by', () => {
  test.each(Object.entries(HOSTILE))('%s', async (_, script) => {
    await add()
    const before = await usernames()
    const { url, browser } = await begin()
    provider.script = script
    const { success, code, headers } = await browser.call(finishOpenIdSignIn, {
      params,
      body: { params: provider.authorize(url) },
    })
    expect({ success, code }).toEqual({
      success: false,
      code: expect.stringMatching(/^(openid\.rejected|identity\.)/),
    })
    expect(headers.getSetCookie()).toEqual([])
    expect(await usernames()).toEqual(before)
  })

  test('a callback twice, in another browser, of another sign-in or of another provider', async () => {
    await add()
    await app.root.call(createOpenIdProvider, { body: { slug: 'other', ...settings({ name: 'Other' }) } })
    const finish = (client: TestClient, callback: Record<string, string>, slug = 'company') =>
      client.call(finishOpenIdSignIn, { params: { slug }, body: { params: callback } })
    const first = await begin()
    const callback = provider.authorize(first.url)
    expect((await finish(app.visitor, callback)).code).toBe('oauth.wrong_state')
    expect((await finish((await begin()).browser, callback)).code).toBe('oauth.wrong_state')
    expect((await finish(first.browser, callback)).success).toBe(true)
    expect((await finish(first.browser, callback)).code).toBe('oauth.wrong_state')
    const second = await begin()
    expect((await finish(second.browser, provider.authorize(second.url), 'other')).code).toBe(
      'openid.rejected',
    )
  })

  test('a provider that declines, in its words', async () => {
    await add()
    provider.script = {
      callback: { code: undefined, error: 'access_denied', error_description: 'Not today' },
    }
    const { code, message } = await signIn()
    expect({ code, message }).toEqual({
      code: 'identity.declined',
      message: expect.stringContaining('Not today'),
    })
  })
})

describe('a provider', () => {
  const create = (more: Partial<OpenIdProviderSettings>, slug = 'company') =>
    app.root.call(createOpenIdProvider, { body: { slug, ...settings(more) } })

  test('shows what to register there, and never its secret', async () => {
    await add()
    const { data, envelope } = await app.root.call(listOpenIdProviders)
    expect(data).toMatchObject([
      {
        slug: 'company',
        has_secret: true,
        callback: 'https://gate.example/oauth/company',
        logout_callback: `https://gate.example${OPENID_PATHS.backchannel}`,
        users: 0,
      },
    ])
    expect(JSON.stringify(envelope)).not.toContain(SECRET)
    const stored = JSON.stringify(
      await app.db
        .selectFrom('openid_providers' as never)
        .selectAll()
        .execute(),
    )
    expect(stored).not.toContain(SECRET)
    expect((await app.visitor.call(listOpenIdButtons)).data).toEqual([{ slug: 'company', name: 'Company' }])
  })

  const WRONG_CONFIGURATIONS: Readonly<Record<string, NonNullable<Script['discovery']>>> = {
    'names another issuer': elsewhere('issuer'),
    'is a page': () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    'is missing': () => new Response('not found', { status: 404 }),
    'has ten megabytes': large,
    'never ends': endless,
    redirects: () => Response.redirect('https://evil.example'),
  }
  test.each(Object.entries(WRONG_CONFIGURATIONS))(
    'is not added when its configuration %s',
    async (_, discovery) => {
      provider.script = { discovery }
      expect((await create({})).code).toBe('openid.not_discovered')
      expect((await app.root.call(listOpenIdProviders)).data).toEqual([])
    },
  )

  test('cannot make the gateway call addresses within its network', async () => {
    provider.script = { discovery: elsewhere('token_endpoint') }
    await add()
    const { url, browser } = await begin()
    const response = await browser.call(finishOpenIdSignIn, {
      params,
      body: { params: provider.authorize(url) },
    })
    expect(response.code).toBe('openid.rejected')
  })

  test.each([
    'http://login.example.com',
    'ftp://login.example.com',
    'https://user:password@login.example.com',
    'https://login.example.com/?a=b',
    'login.example.com',
  ])('is not added with the issuer %s', async issuer => {
    expect((await create({ issuer })).success).toBe(false)
  })

  test.each(['github', 'openid', 'a b', '../x', ''])('is not added with the slug "%s"', async slug => {
    expect((await create({}, slug)).success).toBe(false)
  })

  test('keeps its secret when none is given, and its issuer once users have signed in', async () => {
    await add()
    const update = (more: Partial<OpenIdProviderSettings>) =>
      app.root.call(updateOpenIdProvider, { params, body: settings({ client_secret: '', ...more }) })
    expect((await update({ name: 'Company 2', client_id: CLIENT_ID })).data).toMatchObject({
      name: 'Company 2',
      has_secret: true,
    })
    expect((await signIn()).data.user?.username).toBe('ann')
    expect((await update({ client_id: 'another' })).code).toBe('openid.in_use')
    expect((await create({})).code).toBe('openid.slug_taken')
  })

  test('is deleted with its links, and its users keep their accounts', async () => {
    await add()
    const id = (await signIn()).data.user?.id ?? 0
    expect((await app.root.call(deleteOpenIdProvider, { params })).success).toBe(true)
    expect((await app.root.call(deleteOpenIdProvider, { params })).code).toBe('openid.unknown')
    expect((await app.visitor.call(startOpenIdSignIn, { params, body: {} })).code).toBe('openid.unknown')
    await add()
    expect((await signIn()).data.user?.id).not.toBe(id)
  })
})

interface AuditRow {
  readonly id: number
  readonly credential: string
  readonly actor_name: string
  readonly details: string
}

const lastAuditRow = () =>
  app.db
    .withTables<{ audit_log: AuditRow }>()
    .selectFrom('audit_log')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()

describe('signing out', () => {
  const logout = (token: string) =>
    app.visitor.fetch(OPENID_PATHS.backchannel, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })

  test('here leads to the provider with the ID token, once', async () => {
    await add({ signs_out: true })
    const address = (await signIn()).data.sign_out_url ?? ''
    expect(address).toStartWith(`https://gate.example${OPENID_PATHS.signOut}?session=`)
    const { pathname, search } = new URL(address)
    const location = new URL((await app.visitor.fetch(pathname + search)).headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(`${provider.url}/logout`)
    expect(location.searchParams.get('post_logout_redirect_uri')).toBe('https://gate.example/login')
    expect(location.searchParams.get('id_token_hint')?.split('.')).toHaveLength(3)
    expect((await app.visitor.fetch(pathname + search)).headers.get('location')).toBe('/login')
  })

  test('here leads to the provider after a sign-in that needs a second factor, and ends it from there', async () => {
    await add({ signs_out: true })
    const { id = 0 } = (await signIn()).data.user ?? {}
    const factor = { user_id: id, kind: 'totp', name: 'app', created_at: 1, is_confirmed: 1 }
    await app.db
      .withTables<{ second_factors: typeof factor; openid_sessions: { sid: string } }>()
      .insertInto('second_factors')
      .values(factor)
      .execute()
    await app.db.withTables<{ openid_sessions: { sid: string } }>().deleteFrom('openid_sessions').execute()
    const { code, envelope } = await signIn()
    expect(code).toBe('auth.factor_required')
    expect(envelope.data).toEqual({
      sign_out_url: expect.stringContaining(`${OPENID_PATHS.signOut}?session=`),
    })
    await app.db
      .insertInto('sessions')
      .values({ id_hash: 'completed', user_id: id, created_at: 1, expires_at: 4e9, authenticated_at: 1 })
      .execute()
    await logout(await provider.logoutToken({ sub: undefined, sid: 'session-1' }))
    const rest = await app.db.selectFrom('sessions').select('id_hash').where('user_id', '=', id).execute()
    expect(rest).toEqual([])
  })

  test.each([
    ['a subject', {}],
    ['a session', { sub: undefined, sid: 'session-1' }],
  ])('at the provider ends all sessions here, by %s', async (_, claims) => {
    await add()
    const id = (await signIn()).data.user?.id ?? 0
    await signIn()
    expect(await sessionsOf(id)).toBe(2)
    const response = await logout(await provider.logoutToken(claims))
    expect({ status: response.status, cache: response.headers.get('cache-control') }).toEqual({
      status: 200,
      cache: 'no-store',
    })
    expect(await sessionsOf(id)).toBe(0)
    const { credential, actor_name, details } = await lastAuditRow()
    expect({ credential, actor_name }).toEqual({ credential: 'openid', actor_name: 'company' })
    expect(JSON.parse(details).input).toEqual({ users: [id] })
  })

  test.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'another' }],
    ['a nonce, like an ID token', { nonce: 'x' }],
    ['no event', { events: {} }],
    ['neither subject nor session', { sub: undefined }],
    ['no token id', { jti: undefined }],
    ['an old time', { iat: seconds(-3600) }],
    ['an expiry in the past', { exp: seconds(-60) }],
  ])('at the provider with %s ends nothing', async (_, claims) => {
    await add()
    const id = (await signIn()).data.user?.id ?? 0
    expect((await logout(await provider.logoutToken(claims))).status).toBe(400)
    expect((await logout(unsigned(await provider.logoutToken()))).status).toBe(400)
    expect(await sessionsOf(id)).toBe(1)
  })
})
