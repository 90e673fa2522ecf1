import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { login, logout, logoutByPost } from '#contract/accounts/session.ts'
import { getSelf, updateSelf } from '#contract/accounts/users.ts'
import { getStatus } from '#contract/status.ts'
import { setClock } from '../../core/clock.ts'
import { openTestApp, type TestApp } from '../../testing/open-test-app.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

const signInAs = (username: string, password: string, headers = {}) =>
  app.visitor.call(login, { body: { username, password }, headers })

describe('200', () => {
  test('returns the user and a cookie that is HttpOnly and SameSite', async () => {
    const response = await signInAs('root', 'a good password')
    expect(response.data).toMatchObject({ username: 'root', role: 100, password: '', quota: 100_000_000 })
    expect(response.headers.get('set-cookie')).toMatch(
      /^session=[A-Za-z0-9]{48}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    )
  })

  test('stores only a hash of the cookie', async () => {
    const cookie = app.root.cookie.replace('session=', '')
    const rows = await app.db.selectFrom('sessions').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(cookie)
    expect(rows).toHaveLength(1)
  })

  test('accepts an email address instead of the name', async () => {
    await app.db.updateTable('users').set({ email: 'root@example.com' }).execute()
    expect((await signInAs('root@example.com', 'a good password')).success).toBe(true)
  })

  test('signs in a user whose name looks like an email address', async () => {
    await app.db.updateTable('users').set({ email: 'a@b.example' }).where('username', '=', 'root').execute()
    await app.addUser({ username: 'a@b.example' })
    expect((await signInAs('a@b.example', 'a good password')).data).toMatchObject({ username: 'root' })
  })

  test('accepts an imported bcrypt hash and replaces it with argon2id', async () => {
    const password_hash = await Bun.password.hash('an old password', { algorithm: 'bcrypt', cost: 4 })
    await app.db.updateTable('users').set({ password_hash }).execute()
    expect((await signInAs('root', 'an old password')).success).toBe(true)
    const { password_hash: stored } = await app.db
      .selectFrom('users')
      .select('password_hash')
      .executeTakeFirstOrThrow()
    expect(stored).toStartWith('$argon2id$')
    expect((await signInAs('root', 'an old password')).success).toBe(true)
  })

  test('requires the generated root password to be changed', async () => {
    await app.db.updateTable('users').set({ must_change_password: 1 }).execute()
    expect((await signInAs('root', 'a good password')).data.must_change_password).toBe(true)
    await app.root.call(updateSelf, { body: { password: 'a better one' } })
    expect((await signInAs('root', 'a better one')).data.must_change_password).toBe(false)
  })

  for (const endpoint of [logout, logoutByPost])
    test(`${endpoint.method} logout ends the session and clears the cookie`, async () => {
      const response = await app.root.call(endpoint)
      expect(response.success).toBe(true)
      expect(response.headers.get('set-cookie')).toStartWith('session=; Path=/; Max-Age=0;')
      expect((await app.root.call(getSelf)).status).toBe(401)
    })

  test('lets a visitor sign out', async () => {
    expect((await app.visitor.call(logout)).success).toBe(true)
  })

  test('serves both forms of a path without a redirect', async () => {
    for (const path of ['/api/status', '/api/status/'])
      expect((await app.visitor.fetch(path)).status).toBe(200)
  })

  test('returns the request id with every response', async () => {
    const { headers } = await app.visitor.call(getStatus)
    expect(headers.get('x-oneapi-request-id')).toMatch(/^\d{23}[A-Za-z0-9]{8}$/)
  })
})

describe('errors', () => {
  test('returns the same error for a wrong password, an unknown name and a banned account', async () => {
    await app.addUser({ username: 'banned' })
    await app.db.updateTable('users').set({ status: 2 }).where('username', '=', 'banned').execute()
    const responses = await Promise.all([
      signInAs('root', 'wrong'),
      signInAs('nobody', 'wrong'),
      signInAs('banned', 'a good password'),
    ])
    for (const response of responses)
      expect(response).toMatchObject({
        status: 200,
        success: false,
        code: 'session.wrong',
        message: responses[0].message,
      })
  })

  test("reports an empty name or password in the caller's language, Chinese by default", async () => {
    const chinese = await signInAs('', '', { 'accept-language': '' })
    expect(chinese).toMatchObject({ success: false, message: '请输入用户名和密码！' })
    expect((await signInAs('', '')).message).toBe('enter your user name and password')
  })

  test('allows only root while password sign-in is off', async () => {
    await app.addUser({ username: 'anna' })
    await app.db.insertInto('options').values({ key: 'PasswordLoginEnabled', value: 'false' }).execute()
    await app.db.insertInto('topics').values({ topic: 'options', version: 1 }).execute()
    await app.settings.refresh()
    expect((await signInAs('anna', 'a good password')).code).toBe('session.password_login_off')
    expect((await signInAs('root', 'a good password')).success).toBe(true)
  })

  test('rejects a body that is not JSON', async () => {
    const response = await app.visitor.fetch('/api/user/login', { method: 'POST', body: '{"username":' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ success: false, code: 'invalid_json' })
  })
})

describe('401', () => {
  test('requires a session and the user header with the same id', async () => {
    const { cookie } = app.root
    for (const headers of [
      {},
      { cookie },
      { cookie, 'new-api-user': 'x' },
      { cookie, 'new-api-user': '77' },
    ]) {
      const response = await app.visitor.call(getSelf, { headers })
      expect(response).toMatchObject({ status: 401, success: false })
    }
  })

  test('rejects an expired session, which the next sign-in deletes', async () => {
    const restore = setClock({ nowMs: () => Date.now() + 31 * 24 * 3_600_000, elapsedMs: () => 0 })
    try {
      expect((await app.root.call(getSelf)).status).toBe(401)
      await signInAs('root', 'a good password')
      expect(await app.db.selectFrom('sessions').select('id_hash').execute()).toHaveLength(1)
    } finally {
      restore()
    }
  })

  test('signs out a deregistered account at once', async () => {
    await app.db.updateTable('users').set({ deleted_at: 1 }).execute()
    expect((await app.root.call(getSelf)).status).toBe(401)
  })

  test('tells a banned user once and signs out', async () => {
    await app.db.updateTable('users').set({ status: 2 }).execute()
    expect(await app.root.call(getSelf)).toMatchObject({ status: 200, success: false, code: 'auth.banned' })
    expect((await app.root.call(getSelf)).status).toBe(401)
  })
})

describe('429', () => {
  test('locks an account for ten minutes after ten failures', async () => {
    let now = Date.now()
    const restore = setClock({ nowMs: () => now, elapsedMs: () => now })
    try {
      for (let i = 0; i < 10; i++) expect((await signInAs('Root', 'wrong')).code).toBe('session.wrong')
      expect(await signInAs('root', 'a good password')).toMatchObject({ status: 429, code: 'auth.too_often' })
      now += 10 * 60_000 + 10_000
      expect((await signInAs('root', 'a good password')).success).toBe(true)
    } finally {
      restore()
    }
  })

  test('checks only ten of fifty concurrent guesses for one account', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => signInAs('root', 'wrong')))
    expect(responses.filter(({ code }) => code === 'session.wrong')).toHaveLength(10)
  })

  test('lets thirty users sign in from one address at once', async () => {
    for (let i = 0; i < 30; i++) await app.addUser({ username: `user-${i}` })
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, i) => signInAs(`user-${i}`, 'a good password')),
    )
    expect(responses.every(({ success }) => success)).toBe(true)
  })

  test('locks an address after twenty failures, whatever the account', async () => {
    for (let i = 0; i < 20; i++) await signInAs(`guess-${i}`, 'wrong')
    expect((await signInAs('root', 'a good password')).status).toBe(429)
  })
})
