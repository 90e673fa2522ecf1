import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { BodyOf } from '#contract/endpoint.ts'
import { resetAccessTokenByPost, updateSelf } from '#contract/entities/user.ts'
import { manageUser } from '#features/users/contract.ts'
import { isInScope, resourceOf } from '#server/api/access-scopes.ts'
import { loadRoutes, openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { describeTimeAhead } from '#server/testing/time-ahead.ts'
import { createAccessToken, deleteAccessToken, listAccessTokens } from '../contract.ts'

let app: TestApp
let ann: TestClient
const time = describeTimeAhead()
beforeEach(async () => {
  app = await openTestApp()
  ann = await app.addUser({ username: 'ann' })
})
afterEach(() => app.close())

const DRAFT = { name: 'ci', scopes: ['*:write'], ips: '', expires_time: 0 }
const create = async (draft: Partial<BodyOf<typeof createAccessToken>> = {}, owner = ann) =>
  (await owner.call(createAccessToken, { body: { ...DRAFT, ...draft } })).data.token

async function callWith(
  token: string,
  path: string,
  { method = 'GET', owner = ann, address = '127.0.0.1' } = {},
) {
  const headers = { authorization: `Bearer ${token}`, 'new-api-user': String(owner.id) }
  const body = method === 'GET' ? undefined : JSON.stringify({ name: 'made' })
  const response = await app.visitor.fetch(path, { method, headers, ...(body && { body }) }, address)
  const { code = '', success } = (await response.json()) as { code?: string; success?: boolean }
  return success ? 'success' : code
}
const listed = async (owner = ann) =>
  (await owner.call(listAccessTokens, { params: { id: owner.id } })).data.items

describe('an access token', () => {
  test('makes the calls of its user until it is deleted', async () => {
    const token = await create()
    expect(await callWith(token, '/api/user/self')).toBe('success')
    const [item] = await listed()
    expect(item).toMatchObject({ name: 'ci', scopes: ['*:write'], expires_time: 0, address: '127.0.0.1' })
    expect(item?.used_time).toBeGreaterThan(0)
    const params = { id: ann.id, token: item?.id ?? '' }
    expect((await ann.call(deleteAccessToken, { params })).success).toBe(true)
    expect(await callWith(token, '/api/user/self')).toBe('auth.invalid_access_token')
    expect((await ann.call(deleteAccessToken, { params })).code).toBe('access-token.unknown')
  })

  test('is stored as a keyed hash only', async () => {
    const token = await create()
    const rows = await app.db.selectFrom('sessions').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('is no session cookie, and no session is an access token', async () => {
    const token = await create()
    const cookies = { cookie: `session=${token}`, 'new-api-user': String(ann.id) }
    expect((await app.visitor.fetch('/api/user/self', { headers: cookies })).status).toBe(401)
    expect(await callWith(ann.cookie.replace('session=', ''), '/api/user/self')).toBe(
      'auth.invalid_access_token',
    )
  })

  test('expires', async () => {
    const token = await create({ expires_time: Math.floor(Date.now() / 1000) + 60 })
    expect(await callWith(token, '/api/user/self')).toBe('success')
    time.skippedMs = 61_000
    expect(await callWith(token, '/api/user/self')).toBe('auth.invalid_access_token')
    expect(await listed()).toEqual([])
    expect((await ann.call(createAccessToken, { body: { ...DRAFT, expires_time: 5 } })).code).toBe(
      'access-token.past',
    )
  })

  test('is used from its addresses only', async () => {
    const token = await create({ ips: '203.0.113.0/24\n2001:db8::1' })
    expect(await callWith(token, '/api/user/self')).toBe('auth.address_not_allowed')
    expect(await callWith(token, '/api/user/self', { address: '203.0.113.9' })).toBe('success')
    expect(await callWith(token, '/api/user/self', { address: '2001:db8::1' })).toBe('success')
    expect((await ann.call(createAccessToken, { body: { ...DRAFT, ips: 'nonsense' } })).success).toBe(false)
  })

  test('creates no further one, and shows no key', async () => {
    const token = await create()
    for (const path of ['/api/user/access_tokens', '/api/user/token', '/api/token/keys'])
      expect(await callWith(token, path, { method: 'POST' })).toBe('auth.recent_sign_in_required')
  })

  test('is one of at most fifty', async () => {
    for (let count = 0; count < 50; count += 1) await create({ name: `t${count}` })
    expect((await ann.call(createAccessToken, { body: DRAFT })).code).toBe('access-token.too_many')
    expect(await listed()).toHaveLength(50)
  })
})

describe('scopes', () => {
  test.each([
    { scopes: ['token:read'], method: 'GET', path: '/api/token/', expected: 'success' },
    { scopes: ['token:read'], method: 'POST', path: '/api/token/', expected: 'auth.scope_missing' },
    { scopes: ['token:write'], method: 'GET', path: '/api/token/', expected: 'success' },
    { scopes: ['token:write'], method: 'POST', path: '/api/token/', expected: 'success' },
    { scopes: ['token:write'], method: 'GET', path: '/api/user/self', expected: 'auth.scope_missing' },
    { scopes: ['log:read', 'user:read'], method: 'GET', path: '/api/user/self', expected: 'success' },
    { scopes: ['*:read'], method: 'GET', path: '/api/user/self', expected: 'success' },
    { scopes: ['*:read'], method: 'POST', path: '/api/token/', expected: 'auth.scope_missing' },
  ])('$scopes: $method $path gives $expected', async ({ scopes, method, path, expected }) => {
    expect(await callWith(await create({ scopes: [...scopes] }), path, { method })).toBe(expected)
  })

  test.each(['token', 'token:delete', ':read', 'token:read:write', 'TOKEN:read', '*'])(
    'rejects %s',
    async scope => {
      expect((await ann.call(createAccessToken, { body: { ...DRAFT, scopes: [scope] } })).success).toBe(false)
    },
  )

  test('name what the user may call', async () => {
    const reply = await ann.call(createAccessToken, { body: { ...DRAFT, scopes: ['channel:read'] } })
    expect(reply.code).toBe('access-token.unknown_resource')
    const { data } = await ann.call(listAccessTokens, { params: { id: ann.id } })
    expect(data.resources).toContain('token')
    expect(data.resources).not.toContain('channel')
    const { data: ofRoot } = await app.root.call(listAccessTokens, { params: { id: app.root.id } })
    expect(ofRoot.resources).toContain('metrics')
    expect(ofRoot.resources).toContain('channel')
  })

  test('let Prometheus read the metrics and nothing else', async () => {
    const admin = await app.addUser({ username: 'admin', role: 'admin' })
    const scrape = async (scope: string) => {
      const token = await create({ scopes: [scope] }, admin)
      const headers = { authorization: `Bearer ${token}` }
      expect(await callWith(token, '/api/channel/', { owner: admin })).toBe(
        scope === 'channel:read' ? 'success' : 'auth.scope_missing',
      )
      return (await app.visitor.fetch('/metrics', { headers })).status
    }
    expect(await scrape('metrics:read')).toBe(200)
    expect(await scrape('channel:read')).toBe(401)
  })

  test('of reading reach no endpoint that acts, and those of writing reach all', async () => {
    const endpoints = (await loadRoutes()).map(({ endpoint }) => endpoint)
    const readable = endpoints.filter(call => isInScope(`${resourceOf(call)}:read`, call))
    expect(readable.filter(({ method, changes }) => method !== 'GET' || changes)).toEqual([])
    const acting = endpoints.filter(
      call => call.method === 'GET' && call.role !== 'visitor' && !readable.includes(call),
    )
    expect(acting.map(({ path }) => path).sort()).toEqual([
      '/api/channel/test',
      '/api/channel/test/:id',
      '/api/channel/update_balance',
      '/api/channel/update_balance/:id',
      '/api/oauth/email/bind',
      '/api/oauth/telegram/bind',
      '/api/oauth/wechat/bind',
      '/api/user/token',
    ])
    expect(readable.map(({ path }) => path)).toContain('/api/audit/export')
    expect(endpoints.every(call => isInScope('*:write', call))).toBe(true)
  })
})

describe('the end of access', () => {
  test.each(['demote', 'disable', 'delete'] as const)('%s ends it', async action => {
    await app.db.updateTable('users').set({ role: 10 }).where('id', '=', ann.id).execute()
    const token = await create()
    expect(await callWith(token, '/api/user/self')).toBe('success')
    await app.root.call(manageUser, { body: { id: ann.id, action } })
    await app.root.call(manageUser, { body: { id: ann.id, action: 'enable' } })
    expect(await callWith(token, '/api/user/self')).toBe('auth.invalid_access_token')
  })

  test('a new password ends it', async () => {
    const token = await create()
    expect((await ann.call(updateSelf, { body: { password: 'another good one' } })).success).toBe(true)
    expect(await callWith(token, '/api/user/self')).toBe('auth.invalid_access_token')
  })
})

describe('the token without a name', () => {
  test('is one of them, with all rights', async () => {
    const { data: token } = await ann.call(resetAccessTokenByPost)
    expect(await listed()).toMatchObject([{ id: 'system', name: '', scopes: ['*:write'] }])
    await ann.call(deleteAccessToken, { params: { id: ann.id, token: 'system' } })
    expect(await callWith(token, '/api/user/self')).toBe('auth.invalid_access_token')
    expect(await listed()).toEqual([])
  })
})

test('administrators see and delete those of users below them, and nobody else does', async () => {
  const token = await create()
  const [item] = await listed()
  const params = { id: ann.id, token: item?.id ?? '' }
  const other = await app.addUser({ username: 'bob' })
  expect((await other.call(listAccessTokens, { params: { id: ann.id } })).code).toBe('user.no_permission')
  expect((await other.call(deleteAccessToken, { params })).code).toBe('user.no_permission')
  // Nor with the id of a token under the caller's own number.
  const own = { ...params, id: other.id }
  expect((await other.call(deleteAccessToken, { params: own })).code).toBe('access-token.unknown')
  const admin = await app.addUser({ username: 'admin', role: 'admin' })
  expect((await admin.call(listAccessTokens, { params: { id: ann.id } })).data.items).toHaveLength(1)
  expect((await admin.call(deleteAccessToken, { params })).success).toBe(true)
  expect(await callWith(token, '/api/user/self')).toBe('auth.invalid_access_token')
})

test('the audit log says which access token made a call, and keeps no token', async () => {
  const token = await create({ name: 'deployment' })
  expect(await callWith(token, '/api/token/', { method: 'POST' })).toBe('success')
  const [item] = await listed()
  await ann.call(deleteAccessToken, { params: { id: ann.id, token: item?.id ?? '' } })
  const rows = await (await app.root.fetch('/api/audit/?actor=ann')).text()
  expect(rows.match(/"access_token":"deployment"/g)).toHaveLength(1)
  expect(rows).toContain('POST /api/user/access_tokens')
  expect(rows).toContain('DELETE /api/user/:id/access_tokens/:token')
  expect(rows.match(/"kind":"access-token"/g)).toHaveLength(2)
  expect(rows.match(/"scopes":"\*:write"/g)).toHaveLength(2)
  expect(rows).not.toContain(token)
})
