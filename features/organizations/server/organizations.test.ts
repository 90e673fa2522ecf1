import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createToken, getToken, listTokens, updateToken } from '#contract/entities/token.ts'
import { deleteSelf, getSelf } from '#contract/entities/user.ts'
import { manageUser } from '#features/users/contract.ts'
import { setClock } from '#server/core/clock.ts'
import { findCallersById } from '#server/db/accounts/tokens.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import * as members from '../contract/members.ts'
import * as own from '../contract/organizations.ts'
import * as projects from '../contract/projects.ts'
import { withOrganizationTables } from './tables.ts'
import {
  actingFor,
  allowOrganizations,
  openOrganization,
  type TestOrganization,
} from './testing/organization.ts'

const DAY_MS = 86_400_000
let app: TestApp
let ann: TestClient
let bob: TestClient
let acme: TestOrganization
let skippedMs = 0
let restoreClock: () => void
beforeEach(async () => {
  skippedMs = 0
  restoreClock = setClock({ nowMs: () => Date.now() + skippedMs, elapsedMs: () => performance.now() })
  app = await openTestApp()
  await allowOrganizations(app)
  ann = await app.addUser({ username: 'ann' })
  bob = await app.addUser({ username: 'bob' })
  acme = await openOrganization(app, ann)
})
afterEach(async () => {
  await app.close()
  restoreClock()
})

const PERSON = { name: 'Cora', email: '' }
const invite = async (more: object = {}, by = acme.owner) =>
  (await by.call(members.addMembers, { body: { people: [PERSON], ...more } })).data[0]
const listed = async (query = {}) =>
  (await acme.owner.call(members.listMembers, { query: { p: 1, page_size: 100, ...query } })).data
const tokenStatus = async (id: number) => (await findCallersById(app.db, [id])).get(id)?.status

describe('an organisation', () => {
  test('is created by those whom the option names', async () => {
    const set = (value: string) =>
      app.root.fetch('/api/option/', {
        method: 'PUT',
        body: JSON.stringify({ key: 'OrganizationCreators', value }),
      })
    await set('admins')
    const admin = await app.addUser({ username: 'adm', role: 'admin' })
    const create = (by: TestClient, name: string) => by.call(own.createOrganization, { body: { name } })
    expect((await create(bob, 'Bobs')).code).toBe('organization.may_not_create')
    expect((await create(admin, 'Admins')).success).toBe(true)
    await set('nobody')
    expect((await create(admin, 'More')).code).toBe('organization.may_not_create')
    expect((await admin.call(own.listOwnOrganizations)).data).toMatchObject({
      items: [{ name: 'Admins', role: 'owner' }],
      may_create: false,
    })
  })

  test('begins with nothing in its wallet, in the group of its creator', async () => {
    const { data } = await acme.owner.call(own.getOrganization)
    expect(data).toMatchObject({ name: 'Acme', quota: 0, used_quota: 0, group: 'default', members: 1 })
  })

  test('gets another handle when its name is taken, also by a user', async () => {
    const second = await openOrganization(app, bob, 'Acme')
    const rows = await app.db
      .selectFrom('users')
      .select(['username', 'display_name'])
      .where('kind', '=', 'organization')
      .execute()
    expect(rows.map(row => row.display_name)).toEqual(['Acme', 'Acme'])
    expect(rows[0]?.username).toBe('acme')
    expect(rows[1]?.username).toMatch(/^acme-[a-z0-9]{4}$/)
    expect(second.id).not.toBe(acme.id)
  })

  test('shows its money from the role billing on', async () => {
    await acme.fund(700)
    const member = await acme.add(bob)
    expect((await member.call(own.getOrganization)).data).toMatchObject({ quota: null, used_quota: null })
    const billing = await acme.add(await app.addUser({ username: 'bill' }), 'billing')
    expect((await billing.call(own.getOrganization)).data.quota).toBe(700)
    expect((await billing.call(getSelf)).data).toMatchObject({
      id: acme.id,
      kind: 'organization',
      quota: 700,
    })
  })

  test('is deleted only without money, and takes its members and tokens along', async () => {
    const member = await acme.add(bob)
    const { data: token } = await member.call(createToken, { body: { name: 'mine', unlimited_quota: true } })
    await acme.fund(1)
    expect((await acme.owner.call(own.deleteOrganization)).code).toBe('organization.has_money')
    await acme.fund(-1)
    expect((await acme.owner.call(own.deleteOrganization)).success).toBe(true)
    expect((await member.call(getToken, { params: { id: token.id } })).code).toBe('membership.none')
    expect((await ann.call(own.listOwnOrganizations)).data.items).toEqual([])
    expect((await findCallersById(app.db, [token.id])).get(token.id)?.user_deleted_at).not.toBeNull()
  })

  test('that an administrator has disabled serves nobody', async () => {
    await app.root.call(manageUser, { body: { id: acme.id, action: 'disable' } })
    expect((await acme.owner.call(own.getOrganization)).code).toBe('membership.disabled')
    expect((await ann.call(own.listOwnOrganizations)).data.items).toMatchObject([{ is_enabled: false }])
    await app.root.call(manageUser, { body: { id: acme.id, action: 'enable' } })
    expect((await acme.owner.call(own.getOrganization)).success).toBe(true)
  })

  test('gets an owner from an administrator when it has lost its own', async () => {
    await acme.add(bob)
    const params = { id: acme.id }
    await app.root.call(own.appointOwner, { params, body: { user_id: bob.id } })
    expect((await actingFor(bob, acme.id).call(own.getOrganization)).data.role).toBe('owner')
    const dan = await app.addUser({ username: 'dan' })
    await app.root.call(own.appointOwner, { params, body: { user_id: dan.id } })
    expect((await actingFor(dan, acme.id).call(own.getOrganization)).data.role).toBe('owner')
    expect((await app.root.call(own.appointOwner, { params, body: { user_id: acme.id } })).code).toBe(
      'organization.unknown_user',
    )
    expect(
      (await app.root.call(own.appointOwner, { params: { id: bob.id }, body: { user_id: dan.id } })).code,
    ).toBe('organization.unknown')
    expect((await bob.call(own.appointOwner, { params, body: { user_id: bob.id } })).code).toBe(
      'auth.no_permission',
    )
  })
})

describe('an invitation', () => {
  const join = (secret: string, by = bob) => by.call(own.joinOrganization, { body: { invitation: secret } })

  test('is read and used once', async () => {
    const secret = (await invite({ role: 'billing' }))?.invitation ?? ''
    expect((await bob.call(own.readInvitation, { body: { invitation: secret } })).data).toEqual({
      organization: 'Acme',
      role: 'billing',
    })
    expect((await join(secret)).data).toMatchObject({ id: acme.id, role: 'billing' })
    const dan = await app.addUser({ username: 'dan' })
    expect((await join(secret, dan)).code).toBe('organization.invitation_unknown')
    expect((await bob.call(own.readInvitation, { body: { invitation: secret } })).code).toBe(
      'organization.invitation_unknown',
    )
  })

  test('admits one of many who use it at once', async () => {
    const secret = (await invite())?.invitation ?? ''
    const people = await Promise.all(
      ['e1', 'e2', 'e3', 'e4', 'e5'].map(username => app.addUser({ username })),
    )
    const outcomes = await Promise.all(people.map(person => join(secret, person)))
    expect(outcomes.filter(({ success }) => success)).toHaveLength(1)
  })

  test('expires, and ends when a new one is made or the person is removed', async () => {
    const old = await invite()
    skippedMs = 15 * DAY_MS
    expect((await join(old?.invitation ?? '')).code).toBe('organization.invitation_unknown')
    const params = { id: old?.id ?? 0 }
    const renewed = (await acme.owner.call(members.replaceInvitation, { params })).data
    expect(renewed.invitation).not.toBe(old?.invitation)
    const again = (await acme.owner.call(members.replaceInvitation, { params })).data
    expect((await join(renewed.invitation)).code).toBe('organization.invitation_unknown')
    await acme.owner.call(members.removeMember, { params })
    expect((await join(again.invitation)).code).toBe('organization.invitation_unknown')
  })

  test('makes nobody a member twice', async () => {
    await acme.add(bob)
    expect((await join((await invite())?.invitation ?? '')).code).toBe('organization.already_member')
    const params = { id: (await listed()).items.find(({ user_id }) => user_id === bob.id)?.id ?? 0 }
    expect((await acme.owner.call(members.replaceInvitation, { params })).code).toBe(
      'organization.has_joined',
    )
  })

  test('is stored as a keyed hash only', async () => {
    const secret = (await invite())?.invitation ?? '?'
    const rows = await withOrganizationTables(app.db).selectFrom('organization_members').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  test('is not mailed where the gateway has no mail server', async () => {
    const people = [{ name: 'Cora', email: 'cora@example.com' }]
    const { code } = await acme.owner.call(members.addMembers, { body: { people } })
    expect(code).toBe('mail.not_configured')
    expect((await listed()).total).toBe(1)
  })
})

describe('members', () => {
  test('see their own tokens and nobody else’s; administrators see all', async () => {
    const dan = await app.addUser({ username: 'dan' })
    const [b, d] = [await acme.add(bob), await acme.add(dan)]
    const body = { name: 'of bob', unlimited_quota: true }
    const { data: token } = await b.call(createToken, { body })
    const names = async (by: Pick<TestClient, 'call'>) =>
      (await by.call(listTokens, { query: { p: 0, size: 10 } })).data.map(({ name }) => name)
    expect(await names(b)).toEqual(['of bob'])
    expect(await names(d)).toEqual([])
    expect(await names(acme.owner)).toEqual(['of bob'])
    expect(await names(bob)).toEqual([])
    expect((await d.call(getToken, { params: { id: token.id } })).code).toBe('token.unknown')
    expect((await d.call(updateToken, { body: { id: token.id, name: 'taken' } })).code).toBe('token.unknown')
    expect((await acme.owner.call(updateToken, { body: { id: token.id, name: 'seen' } })).data.name).toBe(
      'seen',
    )
    expect((await findCallersById(app.db, [token.id])).get(token.id)).toMatchObject({
      user_id: acme.id,
      member_id: b.memberId,
    })
  })

  test('may have a token with a monthly cap before they join', async () => {
    const seat = await invite({ has_token: true, monthly_quota: 500 })
    expect(seat?.token).toMatchObject({ name: 'Cora' })
    const row = (await findCallersById(app.db, [seat?.token?.id ?? 0])).get(seat?.token?.id ?? 0)
    expect(row).toMatchObject({ member_id: seat?.id, user_id: acme.id, is_bounded: 1, unlimited_quota: 1 })
    expect((await listed()).items.find(({ name }) => name === 'Cora')).toMatchObject({
      status: 'invited',
      tokens: 1,
    })
  })

  test('lose access at once when they are removed or leave, and their tokens are disabled', async () => {
    const b = await acme.add(bob)
    const { data: token } = await b.call(createToken, { body: { name: 'mine', unlimited_quota: true } })
    await acme.owner.call(members.removeMember, { params: { id: b.memberId } })
    expect((await b.call(own.getOrganization)).code).toBe('membership.none')
    expect(await tokenStatus(token.id)).toBe(2)
    expect((await listed({ status: 'ended' })).items).toMatchObject([{ id: b.memberId, status: 'ended' }])
    const again = await acme.add(bob)
    expect((await again.call(own.leaveOrganization)).success).toBe(true)
    expect((await again.call(own.getOrganization)).code).toBe('membership.none')
  })

  test('lose access when their account is banned or deleted', async () => {
    const b = await acme.add(bob)
    const { data: token } = await b.call(createToken, { body: { name: 'mine', unlimited_quota: true } })
    await app.root.call(manageUser, { body: { id: bob.id, action: 'disable' } })
    expect((await b.call(own.getOrganization)).success).toBe(false)
    await app.root.call(manageUser, { body: { id: bob.id, action: 'delete' } })
    expect(await tokenStatus(token.id)).toBe(2)
    expect((await listed()).total).toBe(1)
  })

  test('keep an owner: the last one neither leaves nor steps down, is removed or deleted', async () => {
    const ownerId = (await acme.owner.call(own.getOrganization)).data.member_id
    const params = { id: ownerId }
    expect((await acme.owner.call(own.leaveOrganization)).code).toBe('organization.last_owner')
    expect((await acme.owner.call(members.removeMember, { params })).code).toBe('organization.last_owner')
    expect((await acme.owner.call(members.updateMember, { params, body: { role: 'admin' } })).code).toBe(
      'organization.last_owner',
    )
    expect((await ann.call(deleteSelf, { body: { username: 'ann' } })).code).toBe(
      'organization.last_owner_of',
    )
    expect((await ann.call(own.listOwnOrganizations)).data.items).toHaveLength(1)
    await acme.add(bob, 'owner')
    expect((await ann.call(deleteSelf, { body: { username: 'ann' } })).success).toBe(true)
  })

  test('of two owners who leave at once one stays', async () => {
    const b = await acme.add(bob, 'owner')
    const outcomes = await Promise.all([
      acme.owner.call(own.leaveOrganization),
      b.call(own.leaveOrganization),
    ])
    expect(outcomes.map(({ code }) => code ?? '').sort()).toEqual(['', 'organization.last_owner'])
  })

  test('with the role of an administrator make and change no owners', async () => {
    const b = await acme.add(bob, 'admin')
    const ownerId = (await acme.owner.call(own.getOrganization)).data.member_id
    const body = { people: [PERSON], role: 'owner' as const }
    expect((await b.call(members.addMembers, { body })).code).toBe('organization.only_owners')
    expect(
      (await b.call(members.updateMember, { params: { id: b.memberId }, body: { role: 'owner' } })).code,
    ).toBe('organization.only_owners')
    expect(
      (await b.call(members.updateMember, { params: { id: ownerId }, body: { role: 'member' } })).code,
    ).toBe('organization.only_owners')
    expect((await b.call(members.removeMember, { params: { id: ownerId } })).code).toBe(
      'organization.only_owners',
    )
  })

  test('of another organisation cannot be reached', async () => {
    const other = await openOrganization(app, bob, 'Other')
    const seat = await invite()
    const params = { id: seat?.id ?? 0 }
    expect((await other.owner.call(members.updateMember, { params, body: { name: 'x' } })).code).toBe(
      'organization.unknown_member',
    )
    expect((await other.owner.call(members.removeMember, { params })).code).toBe(
      'organization.unknown_member',
    )
    expect((await other.owner.call(members.createMemberToken, { params, body: { name: 'x' } })).code).toBe(
      'organization.unknown_member',
    )
    const { data: project } = await acme.owner.call(projects.createProject, { body: { name: 'Course' } })
    expect(
      (
        await other.owner.call(projects.updateProject, {
          params: { id: project.id },
          body: { is_closed: true },
        })
      ).code,
    ).toBe('organization.unknown_project')
  })

  test('are added all or none', async () => {
    const people = [PERSON, { name: '', email: '' }]
    expect((await acme.owner.call(members.addMembers, { body: { people } })).success).toBe(false)
    expect((await listed()).total).toBe(1)
  })

  test('may be ten thousand, which are listed page by page, and not one more', async () => {
    const row = {
      organization_id: acme.id,
      email: '',
      role: 'member',
      status: 'active',
      invited_until: 0,
      created_at: 1,
    } as const
    const rows = Array.from({ length: 9998 }, (_, index) => ({
      ...row,
      name: `m${index}`,
      user_id: 1_000_000 + index,
      invitation_hash: null,
    }))
    for (let at = 0; at < rows.length; at += 500)
      await withOrganizationTables(app.db)
        .insertInto('organization_members')
        .values(rows.slice(at, at + 500))
        .execute()
    expect((await invite())?.id).toBeGreaterThan(0)
    const { code } = await acme.owner.call(members.addMembers, { body: { people: [PERSON] } })
    expect(code).toBe('organization.too_many_members')
    const page = await listed({ keyword: 'm999', page_size: 20 })
    expect(page.total).toBe(9)
    expect((await listed({ p: 100 })).items).toHaveLength(100)
  }, 60_000)
})

describe('a project', () => {
  test('disables its tokens when it is closed, and gets no new ones', async () => {
    const { data: project } = await acme.owner.call(projects.createProject, { body: { name: 'Course' } })
    const params = { id: project.id }
    const { data: token } = await acme.owner.call(projects.createProjectToken, {
      params,
      body: { name: 'key' },
    })
    expect((await findCallersById(app.db, [token.id])).get(token.id)).toMatchObject({
      project_id: project.id,
      status: 1,
    })
    await acme.owner.call(projects.updateProject, { params, body: { is_closed: true } })
    expect(await tokenStatus(token.id)).toBe(2)
    expect(
      (await acme.owner.call(projects.createProjectToken, { params, body: { name: 'late' } })).code,
    ).toBe('organization.project_closed')
    await acme.owner.call(projects.updateProject, { params, body: { is_closed: false } })
    expect(await tokenStatus(token.id)).toBe(2)
    const { data } = await acme.owner.call(projects.listProjects, { query: { p: 1 } })
    expect(data.items).toMatchObject([{ name: 'Course', is_closed: false, tokens: 1 }])
  })

  test('ends at its date', async () => {
    const { closeDueProjects } = await import('./projects.ts')
    const ends_time = Math.floor(Date.now() / 1000) + 60
    const { data: project } = await acme.owner.call(projects.createProject, {
      body: { name: 'Course', ends_time },
    })
    const { data: token } = await acme.owner.call(projects.createProjectToken, {
      params: { id: project.id },
      body: { name: 'key' },
    })
    await closeDueProjects(app.db)
    expect(await tokenStatus(token.id)).toBe(1)
    skippedMs = 61_000
    await closeDueProjects(app.db)
    expect(await tokenStatus(token.id)).toBe(2)
  })
})

test('the audit log names the person and the organisation', async () => {
  await invite()
  const rows = await app.db
    .selectFrom('audit_log' as never)
    .selectAll()
    .execute()
  const text = JSON.stringify(rows)
  expect(text).toContain('POST /api/organization/members')
  const row =
    rows
      .map(found => JSON.stringify(found))
      .find(found => found.includes('POST /api/organization/members')) ?? ''
  expect(JSON.parse(row)).toMatchObject({ actor_name: 'ann', actor_id: ann.id })
  expect(row).toContain('\\"organization\\":\\"acme\\"')
})

test('administrators of an organisation bound it by model, up to what those of the gateway have set', async () => {
  const of = (subject: string, subject_id: number) => ({ subject, subject_id, amount: 5, model: 'claude-*' })
  const send = async (
    by: Pick<TestClient, 'fetch'>,
    method: string,
    body: object,
    id: number | string = '',
  ) => {
    const response = await by.fetch(`/api/budget/${id}`, { method, body: JSON.stringify(body) })
    return JSON.parse(await response.text())
  }
  const admin = await acme.add(bob, 'admin')
  const member = await acme.add(await app.addUser({ username: 'cora' }))
  const { data } = await send(admin, 'POST', of('user', acme.id))
  expect(data).toMatchObject({ ...of('user', acme.id), is_managed: false })
  expect(await send(admin, 'PUT', { amount: 7 }, data.id)).toMatchObject({ data: { amount: 7 } })
  expect(await send(admin, 'POST', of('member', member.memberId))).toMatchObject({ success: true })
  expect(await send(member, 'POST', of('user', acme.id))).toMatchObject({ code: 'membership.role_too_low' })
  expect(await send(admin, 'POST', of('user', bob.id))).toMatchObject({ success: false })
  const managed = await send(app.root, 'POST', of('user', acme.id))
  for (const method of ['PUT', 'DELETE'])
    expect(await send(admin, method, { amount: 9 }, managed.data.id)).toMatchObject({
      code: 'budget.managed',
    })
  expect(await send(bob, 'POST', of('user', bob.id))).toMatchObject({ code: 'budget.managed' })
})

test('its members choose among the models and groups of the organisation, not among their own', async () => {
  const read = async (by: Pick<TestClient, 'fetch'>, path: string) =>
    (await (await by.fetch(path)).json()).data
  await app.root.fetch('/api/option/', {
    method: 'PUT',
    body: JSON.stringify({ key: 'UserUsableGroups', value: '{"default":"Default"}' }),
  })
  const member = await acme.add(bob)
  await app.db.updateTable('users').set({ group: 'vip' }).where('id', '=', acme.id).execute()
  expect((await acme.owner.call(own.getOrganization)).data.group).toBe('vip')
  expect(Object.keys(await read(member, '/api/user/self/groups'))).toContain('vip')
  expect(Object.keys(await read(bob, '/api/user/self/groups'))).not.toContain('vip')
  for (const group of ['default', 'vip']) {
    const body = { type: 1, name: group, key: 'k', models: `model-of-${group}`, group }
    await app.root.fetch('/api/channel/', { method: 'POST', body: JSON.stringify(body) })
  }
  expect(await read(member, '/api/user/models')).toContain('model-of-vip')
  expect(await read(bob, '/api/user/models')).toEqual(['model-of-default'])
})
