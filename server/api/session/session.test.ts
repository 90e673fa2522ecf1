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
  test('signing in gives the user and a cookie that scripts and other sites cannot use', async () => {
    const answer = await signInAs('root', 'a good password')
    expect(answer.data).toMatchObject({ username: 'root', role: 100, password: '', quota: 100_000_000 })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^session=[A-Za-z0-9]{48}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    )
  })

  test('the cookie itself is not in the database', async () => {
    const cookie = app.root.cookie.replace('session=', '')
    const rows = await app.db.selectFrom('sessions').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(cookie)
    expect(rows).toHaveLength(1)
  })

  test('an e-mail address signs in as the name does', async () => {
    await app.db.updateTable('users').set({ email: 'root@example.com' }).execute()
    expect((await signInAs('root@example.com', 'a good password')).success).toBe(true)
  })

  test('a name that looks like an address keeps its owner out of nothing', async () => {
    await app.db.updateTable('users').set({ email: 'a@b.example' }).where('username', '=', 'root').execute()
    await app.addUser({ username: 'a@b.example' })
    expect((await signInAs('a@b.example', 'a good password')).data).toMatchObject({ username: 'root' })
  })

  test('an imported bcrypt password works and is replaced by argon2id', async () => {
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

  test('a password that the gateway made for root asks to be changed, until it is', async () => {
    await app.db.updateTable('users').set({ must_change_password: 1 }).execute()
    expect((await signInAs('root', 'a good password')).data.must_change_password).toBe(true)
    await app.root.call(updateSelf, { body: { password: 'a better one' } })
    expect((await signInAs('root', 'a better one')).data.must_change_password).toBe(false)
  })

  for (const endpoint of [logout, logoutByPost])
    test(`${endpoint.method} logout ends the session and takes the cookie back`, async () => {
      const answer = await app.root.call(endpoint)
      expect(answer.success).toBe(true)
      expect(answer.headers.get('set-cookie')).toStartWith('session=; Path=/; Max-Age=0;')
      expect((await app.root.call(getSelf)).status).toBe(401)
    })

  test('a visitor may sign out too', async () => {
    expect((await app.visitor.call(logout)).success).toBe(true)
  })

  test('both forms of a path are answered directly', async () => {
    for (const path of ['/api/status', '/api/status/'])
      expect((await app.visitor.fetch(path)).status).toBe(200)
  })

  test('every answer carries its request id', async () => {
    const { headers } = await app.visitor.call(getStatus)
    expect(headers.get('x-oneapi-request-id')).toMatch(/^\d{23}[A-Za-z0-9]{8}$/)
  })
})

describe('refused', () => {
  test('a wrong password, an unknown name and a banned account give one and the same answer', async () => {
    await app.addUser({ username: 'banned' })
    await app.db.updateTable('users').set({ status: 2 }).where('username', '=', 'banned').execute()
    const answers = await Promise.all([
      signInAs('root', 'wrong'),
      signInAs('nobody', 'wrong'),
      signInAs('banned', 'a good password'),
    ])
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 200,
        success: false,
        code: 'session.wrong',
        message: answers[0].message,
      })
  })

  test('an empty name or password is told in the language of the caller, Chinese by default', async () => {
    const chinese = await signInAs('', '', { 'accept-language': '' })
    expect(chinese).toMatchObject({ success: false, message: '请输入用户名和密码！' })
    expect((await signInAs('', '')).message).toBe('enter your user name and password')
  })

  test('with password sign-in turned off only root signs in', async () => {
    await app.addUser({ username: 'anna' })
    await app.db.insertInto('options').values({ key: 'PasswordLoginEnabled', value: 'false' }).execute()
    await app.db.insertInto('topics').values({ topic: 'options', version: 1 }).execute()
    await app.settings.refresh()
    expect((await signInAs('anna', 'a good password')).code).toBe('session.password_login_off')
    expect((await signInAs('root', 'a good password')).success).toBe(true)
  })

  test('a body that is not JSON is refused', async () => {
    const response = await app.visitor.fetch('/api/user/login', { method: 'POST', body: '{"username":' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ success: false, code: 'invalid_json' })
  })
})

describe('401', () => {
  test('without a session, without the user header, or with another id in it', async () => {
    const { cookie } = app.root
    for (const headers of [
      {},
      { cookie },
      { cookie, 'new-api-user': 'x' },
      { cookie, 'new-api-user': '77' },
    ]) {
      const answer = await app.visitor.call(getSelf, { headers })
      expect(answer).toMatchObject({ status: 401, success: false })
    }
  })

  test('an expired session is none, and is cleared away by the next sign-in', async () => {
    const restore = setClock({ nowMs: () => Date.now() + 31 * 24 * 3_600_000, elapsedMs: () => 0 })
    try {
      expect((await app.root.call(getSelf)).status).toBe(401)
      await signInAs('root', 'a good password')
      expect(await app.db.selectFrom('sessions').select('id_hash').execute()).toHaveLength(1)
    } finally {
      restore()
    }
  })

  test('a deleted account is signed out at once', async () => {
    await app.db.updateTable('users').set({ deleted_at: 1 }).execute()
    expect((await app.root.call(getSelf)).status).toBe(401)
  })

  test('a banned account is told so once, then signed out', async () => {
    await app.db.updateTable('users').set({ status: 2 }).execute()
    expect(await app.root.call(getSelf)).toMatchObject({ status: 200, success: false, code: 'auth.banned' })
    expect((await app.root.call(getSelf)).status).toBe(401)
  })
})

describe('429', () => {
  test('an account that failed ten times waits, and is free again ten minutes later', async () => {
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

  test('of fifty guesses at once for one account ten are looked at', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => signInAs('root', 'wrong')))
    expect(answers.filter(({ code }) => code === 'session.wrong')).toHaveLength(10)
  })

  test('thirty people may sign in from one address at once', async () => {
    for (let i = 0; i < 30; i++) await app.addUser({ username: `user-${i}` })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => signInAs(`user-${i}`, 'a good password')),
    )
    expect(answers.every(({ success }) => success)).toBe(true)
  })

  test('an address that failed twenty times waits, whatever the account', async () => {
    for (let i = 0; i < 20; i++) await signInAs(`guess-${i}`, 'wrong')
    expect((await signInAs('root', 'a good password')).status).toBe(429)
  })
})
