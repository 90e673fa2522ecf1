import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { send } from '#server/http-client/send.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createTestClient } from '#server/testing/test-client.ts'
import {
  createOpenIdProvider,
  createScimToken,
  deleteScimToken,
  finishOpenIdSignIn,
  listOpenIdProviders,
  startOpenIdSignIn,
} from '../../contract/openid.ts'
import {
  CLIENT_ID,
  openScriptedProvider,
  PERSON,
  type ScriptedProvider,
} from '../testing/scripted-provider.ts'

const params = { slug: 'company' }
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

let provider: ScriptedProvider
let app: TestApp
let token: string
beforeEach(async () => {
  provider = await openScriptedProvider()
  app = await openTestApp({ parts: { send } })
  await app.root.fetch('/api/option/', {
    method: 'PUT',
    body: JSON.stringify({ key: 'ServerAddress', value: 'https://gate.example' }),
  })
  await app.root.call(createOpenIdProvider, {
    body: {
      slug: 'company',
      name: 'Company',
      issuer: provider.url,
      client_id: CLIENT_ID,
      client_secret: 'secret',
      is_enabled: true,
      provisioning: 'nobody',
      rules: [{ value: 'Admins', role: 'admin', group: 'vip' }],
    },
  })
  token = (await app.root.call(createScimToken, { params })).data.token
})
afterEach(async () => {
  await app.close()
  await provider.close()
})

interface ScimReply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: resources of all shapes, compared field by field
  readonly body: any
}

async function scim(method: string, path: string, body?: object, headers: object = {}): Promise<ScimReply> {
  const response = await app.visitor.fetch(`/scim/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
}

const ann = (more: object = {}) => ({
  schemas: [USER],
  userName: 'Ann@Example.com',
  externalId: PERSON.sub,
  displayName: 'Ann Example',
  active: true,
  emails: [{ value: 'ann@example.com', primary: true }],
  ...more,
})
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations })
const account = (username = 'Ann') =>
  app.db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirstOrThrow()

async function signIn() {
  const { data, headers } = await app.visitor.call(startOpenIdSignIn, { params, body: {} })
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return createTestClient(app.app, { id: 0, cookie }).call(finishOpenIdSignIn, {
    params,
    body: { params: provider.authorize(data.url) },
  })
}

describe('a user that SCIM creates', () => {
  test('is an account, found by user name, and signs in with the provider', async () => {
    const { status, headers, body } = await scim('POST', 'Users', ann())
    expect({ status, etag: headers.get('etag') }).toEqual({ status: 201, etag: 'W/"1"' })
    expect(body).toMatchObject({
      id: expect.any(String),
      userName: 'Ann@Example.com',
      active: true,
      meta: { location: `https://gate.example/scim/v2/Users/${body.id}`, version: 'W/"1"' },
    })
    expect(await account()).toMatchObject({
      email: 'ann@example.com',
      display_name: 'Ann Example',
      status: 1,
    })
    const found = await scim('GET', `Users?filter=${encodeURIComponent('userName eq "ANN@example.com"')}`)
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: body.id }] })
    expect((await signIn()).data.user?.id).toBe((await account()).id)
    expect((await scim('POST', 'Users', ann())).body).toMatchObject({ status: '409', scimType: 'uniqueness' })
  })

  test('loses every access when it is deactivated, and gets it back; balance and books stay', async () => {
    const { body } = await scim('POST', 'Users', ann())
    const { headers, data } = await signIn()
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const id = data.user?.id ?? 0
    const off = await scim(
      'PATCH',
      `Users/${body.id}`,
      patch({ op: 'Replace', path: 'active', value: 'False' }),
    )
    expect(off.body).toMatchObject({ active: false, meta: { version: 'W/"2"' } })
    expect((await account()).status).toBe(2)
    expect((await createTestClient(app.app, { id, cookie }).fetch('/api/user/self')).status).toBe(401)
    expect((await signIn()).code).toBe('oauth.banned')
    await scim('PATCH', `Users/${body.id}`, patch({ op: 'replace', value: { active: true } }))
    expect((await signIn()).data.user?.id).toBe(id)
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('stays banned when an administrator has banned it and the provider only syncs', async () => {
    const { body } = await scim('POST', 'Users', ann())
    await app.db.updateTable('users').set({ status: 2 }).where('username', '=', 'Ann').execute()
    expect((await scim('PUT', `Users/${body.id}`, ann({ displayName: 'Ann B' }))).status).toBe(200)
    expect(await account()).toMatchObject({ status: 2, display_name: 'Ann B' })
  })

  test.each([
    { what: 'of one userName', first: ann(), second: ann({ externalId: 'another' }) },
    { what: 'of one externalId', first: ann(), second: ann({ userName: 'other@example.com' }) },
  ])('is created once by two calls $what at once, and nothing is left of the other', async calls => {
    const replies = await Promise.all([
      scim('POST', 'Users', calls.first),
      scim('POST', 'Users', calls.second),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({ scimType: 'uniqueness' })
    expect((await scim('GET', 'Users')).body.totalResults).toBe(1)
    const users = await app.db.selectFrom('users').select('username').where('role', '<', 100).execute()
    expect(users).toHaveLength(1)
  })

  test('is let out when it is deleted, and is the same account when it comes back', async () => {
    const { body } = await scim('POST', 'Users', ann())
    const { id } = await account()
    expect((await scim('DELETE', `Users/${body.id}`)).status).toBe(204)
    expect((await account()).status).toBe(2)
    expect((await scim('GET', `Users/${body.id}`)).status).toBe(404)
    const again = await scim('POST', 'Users', ann())
    expect(again.status).toBe(201)
    expect(await account()).toMatchObject({ id, status: 1 })
  })

  test('follows the rules of its groups', async () => {
    const { body: user } = await scim('POST', 'Users', ann())
    const members = [{ value: user.id }, { value: 'of another provider' }]
    const { body: group } = await scim('POST', 'Groups', { displayName: 'Admins', members })
    expect(group.members).toHaveLength(1)
    expect(await account()).toMatchObject({ role: 10, group: 'vip' })
    expect((await signIn()).data.user).toMatchObject({ role: 10, group: 'vip' })
    await scim('PATCH', `Groups/${group.id}`, patch({ op: 'remove', path: `members[value eq "${user.id}"]` }))
    expect(await account()).toMatchObject({ role: 1, group: 'default' })
  })
})

describe('a call', () => {
  test.each([
    ['without a token', { authorization: '' }],
    ['with a wrong token', { authorization: 'Bearer scim_wrong' }],
    ['with a session token', { authorization: 'Bearer session' }],
  ])('%s is rejected', async (_, headers) => {
    expect((await scim('GET', 'Users', undefined, headers)).body).toMatchObject({ status: '401' })
  })

  test('with a token that was replaced or ended is rejected, and no token is ever shown again', async () => {
    const former = token
    token = (await app.root.call(createScimToken, { params })).data.token
    expect((await scim('GET', 'Users')).status).toBe(200)
    expect((await scim('GET', 'Users', undefined, { authorization: `Bearer ${former}` })).status).toBe(401)
    const { envelope } = await app.root.call(listOpenIdProviders)
    expect(JSON.stringify(envelope)).not.toContain(token)
    await app.root.call(deleteScimToken, { params })
    expect((await scim('GET', 'Users')).status).toBe(401)
  })

  test('sees nothing of another provider', async () => {
    const { body } = await scim('POST', 'Users', ann())
    await app.root.call(createOpenIdProvider, {
      body: {
        slug: 'other',
        name: 'Other',
        issuer: provider.url,
        client_id: CLIENT_ID,
        is_enabled: true,
        provisioning: 'nobody',
      },
    })
    token = (await app.root.call(createScimToken, { params: { slug: 'other' } })).data.token
    for (const method of ['GET', 'DELETE']) expect((await scim(method, `Users/${body.id}`)).status).toBe(404)
    expect((await scim('GET', 'Users')).body.totalResults).toBe(0)
  })

  test.each([
    ['no JSON', 'Users', '{', 400],
    ['an array', 'Users', '[]', 400],
    ['no user name', 'Users', '{"active":true}', 400],
    ['a wrong type', 'Users', '{"userName":"a","active":"perhaps"}', 400],
    ['half a mebibyte', 'Users', `{"userName":"${'x'.repeat(600_000)}"}`, 413],
    ['an unknown resource', 'Robots', '{}', 405],
  ])('with %s is rejected in the words of SCIM', async (_, path, body, status) => {
    const response = await app.visitor.fetch(`/scim/v2/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body,
    })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      detail: expect.any(String),
    })
    expect(await app.db.selectFrom('users').select('id').execute()).toHaveLength(1)
  })

  test.each(['userName eq', '((((', 'userName zz "a"', `${'('.repeat(5000)}`])(
    'with the filter %s is rejected',
    async filter => {
      expect((await scim('GET', `Users?filter=${encodeURIComponent(filter)}`)).status).toBe(400)
    },
  )

  test('of an old version is rejected', async () => {
    const { body } = await scim('POST', 'Users', ann())
    const put = (tag: string) => scim('PUT', `Users/${body.id}`, ann(), { 'if-match': tag })
    expect((await put('W/"7"')).status).toBe(412)
    expect((await put('W/"1"')).status).toBe(200)
    expect((await scim('GET', `Users/${body.id}`, undefined, { 'if-none-match': 'W/"2"' })).status).toBe(304)
  })

  test('cannot ban a super administrator', async () => {
    const { body } = await scim('POST', 'Users', ann())
    await app.db.updateTable('users').set({ role: 100 }).where('username', '=', 'Ann').execute()
    expect((await scim('PUT', `Users/${body.id}`, ann({ active: false }))).status).toBe(403)
    expect((await account()).status).toBe(1)
  })
})

describe('the audit log', () => {
  const rows = async () => {
    const response = await app.root.fetch('/api/audit/?search=')
    const { data } = await response.json()
    return data.items.filter(({ credential }: { credential: string }) => credential === 'scim')
  }

  test('has one row for each change by SCIM, with the account before and after', async () => {
    const { body } = await scim('POST', 'Users', ann({ password: 'a-seeded-secret' }))
    const group = await scim('POST', 'Groups', { displayName: 'Admins', members: [{ value: body.id }] })
    await scim('GET', 'Users')
    await scim('PATCH', `Users/${body.id}`, patch({ op: 'replace', path: 'active', value: false }))
    await scim('DELETE', `Groups/${group.body.id}`)
    await scim('DELETE', `Users/${body.id}`)
    expect((await scim('PUT', 'Users/unknown', ann())).status).toBe(404)
    const { id } = await account()
    const found = await rows()
    expect(found.toReversed()).toMatchObject([
      { action: 'POST /scim/v2/Users', actor_name: 'company', before: { [id]: null }, address: '127.0.0.1' },
      {
        action: 'POST /scim/v2/Groups',
        before: { [id]: { role: 1, group: 'default' } },
        after: { [id]: { role: 10, group: 'vip' } },
      },
      { action: 'PATCH /scim/v2/Users', before: { [id]: { status: 1 } }, after: { [id]: { status: 2 } } },
      { action: 'DELETE /scim/v2/Groups', after: { [id]: { role: 1, group: 'default' } } },
      { action: 'DELETE /scim/v2/Users', input: { userName: 'ann@example.com' } },
    ])
    expect(JSON.stringify(found)).not.toContain('seeded')
  })

  test('has no row of a change that is rejected', async () => {
    await scim('POST', 'Users', ann())
    expect((await scim('POST', 'Users', ann({ externalId: 'another' }))).status).toBe(409)
    expect(await rows()).toHaveLength(1)
  })
})
