import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { ORGANIZATION_ROLES, type OrganizationRole, ROLE } from '#contract/enums.ts'
import { loadRoutes, openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { hasRole } from './membership.ts'
import { allowOrganizations, headerOf, openOrganization } from './testing/organization.ts'

const endpoints = (await loadRoutes()).map(route => route.endpoint).filter(({ role }) => role !== 'visitor')
const served = endpoints.filter(({ organization }) => organization !== undefined)

let app: TestApp
let made = 0
beforeAll(async () => {
  app = await openTestApp()
  await allowOrganizations(app)
})
afterAll(() => app.close())

const addPerson = (role: 'user' | 'root' = 'user'): Promise<TestClient> =>
  app.addUser({ username: `p-${++made}`, role })

async function call(person: TestClient, id: number, { method, path }: AnyEndpoint) {
  const response = await person.fetch(path.replace(/:\w+/g, '999999'), {
    method,
    headers: headerOf(id),
    ...(method !== 'GET' && { body: '{}' }),
  })
  const text = await response.text()
  return { status: response.status, code: text.startsWith('{') ? JSON.parse(text).code : undefined }
}

/** A new organisation for each call, since some of them end it. */
async function callAs(role: OrganizationRole, endpoint: AnyEndpoint) {
  const owner = await addPerson()
  const organization = await openOrganization(app, owner, `Org ${++made}`)
  if (role === 'owner') return call(owner, organization.id, endpoint)
  const person = await addPerson()
  await organization.add(person, role)
  return call(person, organization.id, endpoint)
}

test('only endpoints of users serve organisations', () => {
  expect(served.length).toBeGreaterThan(40)
  expect(served.filter(({ role }) => role !== 'user')).toEqual([])
})

test('no endpoint serves a person who is no member, whatever the person is elsewhere', async () => {
  const organization = await openOrganization(app, await addPerson(), 'Closed')
  const people = [await addPerson(), await addPerson('root'), app.root]
  await openOrganization(app, people[0] ?? app.root, 'Other')
  for (const person of people)
    for (const endpoint of endpoints) {
      const response = await call(person, organization.id, endpoint)
      const isBelow = person === people[0] && ROLE[endpoint.role] > ROLE.user
      expect({ path: endpoint.path, ...response }).toEqual({
        path: endpoint.path,
        status: isBelow ? 200 : 403,
        code: isBelow ? 'auth.no_permission' : 'membership.none',
      })
    }
}, 60_000)

test('an endpoint that declares no role of members serves not even an owner who is a super administrator', async () => {
  const root = await addPerson('root')
  const { id } = await openOrganization(app, root, 'Of root')
  for (const endpoint of endpoints.filter(({ organization }) => organization === undefined))
    expect({ path: endpoint.path, ...(await call(root, id, endpoint)) }).toEqual({
      path: endpoint.path,
      status: 403,
      code: 'membership.not_served',
    })
}, 60_000)

for (const endpoint of served)
  describe(`${endpoint.method} ${endpoint.path} for an organisation`, () => {
    for (const role of ORGANIZATION_ROLES) {
      const isAllowed = hasRole(role, endpoint.organization ?? 'owner')
      test(`${isAllowed ? 'serves' : 'rejects'} a member with the role ${role}`, async () => {
        const { status, code } = await callAs(role, endpoint)
        if (!isAllowed)
          return expect({ status, code }).toEqual({ status: 403, code: 'membership.role_too_low' })
        expect(status).toBeLessThan(500)
        expect(String(code)).not.toMatch(/^membership\.|no_permission|internal_error|not_named/)
      })
    }
  })
