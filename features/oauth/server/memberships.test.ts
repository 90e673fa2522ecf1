import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { send } from '#server/http-client/send.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createTestClient, type TestClient } from '#server/testing/test-client.ts'
import {
  createOpenIdProvider,
  createScimToken,
  finishOpenIdSignIn,
  startOpenIdSignIn,
  updateOpenIdProvider,
} from '../contract/openid.ts'
import { insertIdentity } from './openid/queries.ts'
import {
  CLIENT_ID,
  openScriptedProvider,
  PERSON,
  type ScriptedProvider,
} from './testing/scripted-provider.ts'

const params = { slug: 'company' }
let provider: ScriptedProvider
let app: TestApp
let owner: TestClient
let organizationId = 0
let scimToken = ''
beforeEach(async () => {
  provider = await openScriptedProvider()
  app = await openTestApp({ parts: { send } })
  for (const [key, value] of [
    ['ServerAddress', 'https://gate.example'],
    ['OrganizationCreators', 'everybody'],
  ])
    await app.root.fetch('/api/option/', { method: 'PUT', body: JSON.stringify({ key, value }) })
  owner = await app.addUser({ username: 'olga' })
  organizationId = (await readData(await post(owner, '/api/organization/', { name: 'Acme' }))).id
  await app.root.call(createOpenIdProvider, { body: { slug: 'company', ...settings() } })
  scimToken = (await app.root.call(createScimToken, { params })).data.token
})
afterEach(async () => {
  await app.close()
  await provider.close()
})

const settings = (rules = [ruleFor('Engineers', 'member'), ruleFor('Managers', 'admin')]) => ({
  name: 'Company',
  issuer: provider.url,
  client_id: CLIENT_ID,
  client_secret: 'secret',
  is_enabled: true,
  provisioning: 'everyone' as const,
  memberships: [...rules, { ...ruleFor('Engineers', 'member'), organization_id: 999_999 }],
})
const ruleFor = (value: string, role: 'member' | 'admin') => ({
  value,
  role,
  organization_id: organizationId,
})

const post = (by: Pick<TestClient, 'fetch'>, path: string, body: object, headers = {}) =>
  by.fetch(path, { method: 'POST', body: JSON.stringify(body), headers })
const readData = async (response: Response) => (await response.json()).data
const acting = () => ({ 'x-tollgate-organization': String(organizationId) })

/** Members but the owner. */
async function listMembers(): Promise<readonly { id: number; role: string; username: string }[]> {
  const response = await owner.fetch('/api/organization/members?p=1&page_size=100', { headers: acting() })
  const { items } = await readData(response)
  return items.filter(({ username }: { username: string }) => username !== 'olga')
}
const roles = async () => (await listMembers()).map(({ username, role }) => `${username} ${role}`)
const tokenStatus = async () =>
  (await app.db.selectFrom('tokens').select('status').where('member_id', '>', 0).execute()).map(
    ({ status }) => status,
  )
const addMemberToken = async () => {
  const [member] = await listMembers()
  await post(owner, `/api/organization/members/${member?.id}/token`, { name: 'laptop' }, acting())
}

async function scim(method: string, path: string, body?: object) {
  const response = await app.visitor.fetch(`/scim/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${scimToken}`, 'content-type': 'application/scim+json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return text === '' ? {} : JSON.parse(text)
}

async function signIn(groups: readonly string[], sub = PERSON.sub) {
  provider.script = { claims: { groups, sub }, userInfo: () => Response.json({ ...PERSON, groups, sub }) }
  const { data, headers } = await app.visitor.call(startOpenIdSignIn, { params, body: {} })
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return createTestClient(app.app, { id: 0, cookie }).call(finishOpenIdSignIn, {
    params,
    body: { params: provider.authorize(data.url) },
  })
}

describe('a sign-in', () => {
  test('makes members of those whom the claim names, with the highest role, and of nobody else', async () => {
    expect((await signIn(['Sales'])).success).toBe(true)
    expect(await roles()).toEqual([])
    await signIn(['Engineers'])
    expect(await roles()).toEqual(['ann member'])
    await signIn(['Managers', 'Engineers'])
    expect(await roles()).toEqual(['ann admin'])
    await signIn(['Engineers', 'Managers'])
    await addMemberToken()
    expect(await tokenStatus()).toEqual([1])
    await signIn(['Sales'])
    expect(await roles()).toEqual([])
    expect(await tokenStatus()).toEqual([2])
  })

  test('gives who comes back the former place, and tells the log of each step', async () => {
    await signIn(['Engineers'])
    const [first] = await listMembers()
    await signIn([])
    await signIn(['Engineers'])
    expect(await listMembers()).toMatchObject([{ id: first?.id, role: 'member' }])
    const logs = await app.db.selectFrom('logs').select('content').where('username', '=', 'ann').execute()
    const contents = logs.map(({ content }) => content).filter(content => content.includes('Acme'))
    expect(contents).toHaveLength(3)
    expect(contents[1]).toContain('Company')
  })

  test('leaves alone who became a member or an owner by hand', async () => {
    await signIn(['Engineers'])
    const [member] = await listMembers()
    const change = { method: 'PUT', body: JSON.stringify({ role: 'owner' }), headers: acting() }
    await owner.fetch(`/api/organization/members/${member?.id}`, change)
    await signIn([])
    expect(await roles()).toEqual(['ann owner'])
    const bob = await app.addUser({ username: 'bob' })
    const people = [{ name: 'Bob', email: '' }]
    const [seat] = await readData(await post(owner, '/api/organization/members', { people }, acting()))
    await post(bob, '/api/organization/join', { invitation: seat.invitation })
    await insertIdentity(app.db, { provider: 'company', subject: 'bob', user_id: bob.id, created_at: 1 })
    for (const groups of [['Managers'], []]) {
      expect((await signIn(groups, 'bob')).data.user?.id).toBe(bob.id)
      expect(await roles()).toEqual(['ann owner', 'bob member'])
    }
  })

  test('of a provider whose rules were removed ends what they began', async () => {
    await signIn(['Engineers'])
    await app.root.call(updateOpenIdProvider, { params, body: settings([]) })
    await signIn(['Engineers'])
    expect(await roles()).toEqual([])
  })
})

const USER = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ann@example.com',
  externalId: PERSON.sub,
  active: true,
}
const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

describe('a SCIM group', () => {
  test('makes members, follows its changes, and ends their membership and tokens with it', async () => {
    const { id } = await scim('POST', 'Users', USER)
    const group = await scim('POST', 'Groups', { displayName: 'Engineers', members: [{ value: id }] })
    expect(await roles()).toEqual(['ann member'])
    const managers = await scim('POST', 'Groups', { displayName: 'Managers', members: [{ value: id }] })
    expect(await roles()).toEqual(['ann admin'])
    await scim('DELETE', `Groups/${managers.id}`)
    expect(await roles()).toEqual(['ann member'])
    await addMemberToken()
    await scim('PATCH', `Groups/${group.id}`, patch({ op: 'remove', path: `members[value eq "${id}"]` }))
    expect(await roles()).toEqual([])
    expect(await tokenStatus()).toEqual([2])
  })

  test.each([
    [
      'deactivated',
      (id: string) => scim('PATCH', `Users/${id}`, patch({ op: 'replace', value: { active: false } })),
    ],
    ['deleted', (id: string) => scim('DELETE', `Users/${id}`)],
  ])('no longer has a member whose user is %s', async (_, end) => {
    const { id } = await scim('POST', 'Users', USER)
    await scim('POST', 'Groups', { displayName: 'Engineers', members: [{ value: id }] })
    await addMemberToken()
    await end(id)
    expect(await roles()).toEqual([])
    expect(await tokenStatus()).toEqual([2])
    await scim('PATCH', `Users/${id}`, patch({ op: 'replace', value: { active: true } }))
    expect(await roles()).toEqual(_ === 'deleted' ? [] : ['ann member'])
  })
})
