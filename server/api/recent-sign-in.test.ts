import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { resetAccessTokenByPost } from '#contract/entities/user.ts'
import { setClock } from '../core/clock.ts'
import { loadRoutes, openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'

const ELEVEN_MINUTES_MS = 11 * 60_000
const RECENT_SIGN_IN_REQUIRED = { status: 403, code: 'auth.recent_sign_in_required' }

const guarded = (await loadRoutes())
  .map(({ endpoint }) => endpoint)
  .filter(({ needs }) => needs === 'recent-sign-in')

let app: TestApp
let skippedMs = 0
let restoreClock: () => void
beforeAll(async () => {
  restoreClock = setClock({ nowMs: () => Date.now() + skippedMs, elapsedMs: () => performance.now() })
  app = await openTestApp()
})
afterEach(() => {
  skippedMs = 0
})
afterAll(async () => {
  await app.close()
  restoreClock()
})

test('these endpoints need a recent sign-in', () => {
  expect(guarded.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'DELETE /api/user/self',
    'GET /api/oauth/email/bind',
    'GET /api/user/token',
    'POST /api/device/approve',
    'POST /api/oauth/email/bind',
    'POST /api/oauth/unbind',
    'POST /api/token/keys',
    'POST /api/user/token',
  ])
})

test.each(guarded)('$method $path refuses an older session and an access token', async ({ method, path }) => {
  const call = async (client: TestClient, headers: Readonly<Record<string, string>> = {}) => {
    const response = await client.fetch(path, { method, headers, ...(method !== 'GET' && { body: '{}' }) })
    return { status: response.status, code: (await response.json()).code }
  }
  const user = await addUser()
  const { data: accessToken } = await user.call(resetAccessTokenByPost)
  const headers = { authorization: `Bearer ${accessToken}`, 'new-api-user': String(user.id) }
  expect(await call(app.visitor, headers)).toEqual(RECENT_SIGN_IN_REQUIRED)
  expect((await call(user)).code).not.toBe(RECENT_SIGN_IN_REQUIRED.code)
  const other = await addUser()
  skippedMs = ELEVEN_MINUTES_MS
  expect(await call(other)).toEqual(RECENT_SIGN_IN_REQUIRED)
})

let users = 0
const addUser = (): Promise<TestClient> => app.addUser({ username: `user-${++users}` })
