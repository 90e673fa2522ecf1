import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { ROLE } from '#contract/enums.ts'
import { loadRoutes, openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'

const endpoints = (await loadRoutes()).map(route => route.endpoint)

let app: TestApp
let clients: Readonly<Record<'visitor' | 'user' | 'admin' | 'root', () => Promise<TestClient>>>
beforeAll(async () => {
  app = await openTestApp()
  let made = 0
  const fresh = (role: 'user' | 'admin' | 'root') => () =>
    app.addUser({ username: `${role}-${++made}`, role })
  clients = {
    visitor: async () => app.visitor,
    user: fresh('user'),
    admin: fresh('admin'),
    root: fresh('root'),
  }
})
afterAll(() => app.close())

/** Calls the path without and with a trailing slash, each time as a new user. */
const callBothPaths = async (open: () => Promise<TestClient>, { method, path }: AnyEndpoint) => {
  const bare = path.replace(/:\w+/g, '999999').replace(/\/$/, '')
  const responses: { status: number; code: unknown }[] = []
  for (const address of [bare, `${bare}/`]) {
    const response = await (await open()).fetch(address, { method, ...(method !== 'GET' && { body: '{}' }) })
    const text = await response.text()
    responses.push({
      status: response.status,
      code: text.startsWith('{') ? JSON.parse(text).code : undefined,
    })
  }
  return responses
}

test('every endpoint has a unique method and path', () => {
  const addresses = endpoints.map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`)
  expect(new Set(addresses).size).toBe(addresses.length)
  expect(addresses.length).toBeGreaterThan(45)
})

test('the OpenAPI document lists every endpoint', async () => {
  const response = await app.visitor.fetch('/api/openapi.json')
  const { paths } = JSON.parse(await response.text())
  const listed = Object.entries<object>(paths).flatMap(([path, calls]) =>
    Object.keys(calls).map(method => `${method.toUpperCase()} ${path}`),
  )
  const expected = endpoints.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(listed.toSorted()).toEqual(expected.toSorted())
})

for (const endpoint of endpoints)
  describe(`${endpoint.method} ${endpoint.path} for role ${endpoint.role}`, () => {
    for (const role of ['visitor', 'user', 'admin', 'root'] as const) {
      const isAllowed = ROLE[role] >= ROLE[endpoint.role]
      test(`${isAllowed ? 'allows' : 'rejects'} ${role}, with and without a trailing slash`, async () => {
        for (const { status, code } of await callBothPaths(clients[role], endpoint)) {
          if (isAllowed) {
            expect(status).toBeLessThan(500)
            expect([401, 404]).not.toContain(status)
            expect(['auth.no_permission', 'internal_error']).not.toContain(code)
          } else if (role === 'visitor')
            expect({ status, code }).toEqual({ status: 401, code: 'auth.not_signed_in' })
          else expect({ status, code }).toEqual({ status: 200, code: 'auth.no_permission' })
        }
      })
    }
  })
