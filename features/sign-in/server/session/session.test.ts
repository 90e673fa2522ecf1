import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { login, logout, logoutByPost } from '#contract/accounts/session.ts'
import { getSelf, updateSelf } from '#contract/entities/user.ts'
import { getStatus } from '#contract/status.ts'
import { setClock } from '#server/core/clock.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

const signInAs = (username: string, password: string, headers = {}) =>
  app.visitor.call(login, { body: { username, password }, headers })

describe('403', () => {
  test.each(['cross-site', 'same-site'])('rejects a form of another site: %s', async site => {
    const rejected = await signInAs('root', 'a good password', { 'sec-fetch-site': site })
    expect(rejected).toMatchObject({ status: 403, code: 'auth.other_site' })
    expect(rejected.headers.getSetCookie()).toEqual([])
    expect((await signInAs('root', 'a good password', { 'sec-fetch-site': 'same-origin' })).success).toBe(
      true,
    )
  })
})

describe('a sign-in over plain http, where browsers do not say which site asks', () => {
  test.each(['https://evil.example', 'http://gate.example.evil.example', 'null', 'nonsense'])(
    'rejects the origin %s',
    async origin => {
      const rejected = await signInAs('root', 'a good password', { origin, host: 'gate.example:3000' })
      expect(rejected).toMatchObject({ status: 403, code: 'auth.other_site' })
    },
  )

  test.each([
    { origin: 'http://gate.example:3000', host: 'gate.example:3000' },
    { origin: 'http://gate.example', host: 'inner:3000', 'x-forwarded-host': 'gate.example' },
    { origin: 'http://evil.example', host: 'gate.example', 'sec-fetch-site': 'same-origin' },
    {},
  ])('accepts %p', async headers => {
    expect((await signInAs('root', 'a good password', headers)).success).toBe(true)
  })
})

describe('200', () => {
  test('returns the user and a cookie that is HttpOnly and SameSite', async () => {
    const response = await signInAs('root', 'a good password')
    expect(response.data).toMatchObject({ username: 'root', role: 100, password: '', quota: 100_000_000 })
    expect(response.headers.getSetCookie()[0]).toMatch(
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
    expect(chinese).toMatchObject({ success: false, message: '请输入用户名和密码' })
    expect((await signInAs('', '')).message).toBe('enter your username and password')
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
  const HERE = '203.0.113.7'
  const ELSEWHERE = '198.51.100.7'
  const WRONG = 'wrong'
  const RIGHT = 'a good password'

  const signInFrom = async (
    address: string,
    {
      username = 'root',
      password = RIGHT,
      headers = {},
    }: { username?: string; password?: string; headers?: object },
  ) => {
    const body = JSON.stringify({ username, password })
    const init = { method: 'POST', body, headers: { ...headers } }
    const response = await app.visitor.fetch('/api/user/login', init, address)
    const cookies = response.headers.getSetCookie().map(cookie => cookie.split(';')[0])
    return { status: response.status, device: cookies.find(cookie => cookie?.startsWith('device-')) ?? '' }
  }
  const fail = async (count: number, address: (n: number) => string, username = (_: number) => 'root') => {
    const statuses: number[] = []
    for (let n = 0; n < count; n++)
      statuses.push((await signInFrom(address(n), { username: username(n), password: WRONG })).status)
    return statuses.filter(status => status === 429).length
  }

  test('locks an account for ten minutes after ten failures, for that network only', async () => {
    let now = Date.now()
    const restore = setClock({ nowMs: () => now, elapsedMs: () => now })
    try {
      expect(await fail(12, n => `203.0.113.${n}`)).toBe(2)
      expect((await signInFrom(HERE, {})).status).toBe(429)
      expect((await signInFrom(ELSEWHERE, {})).status).toBe(200)
      now += 10 * 60_000 + 10_000
      expect((await signInFrom(HERE, {})).status).toBe(200)
    } finally {
      restore()
    }
  })

  test('checks only ten of fifty concurrent guesses for one account', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => signInAs('root', WRONG)))
    expect(responses.filter(({ code }) => code === 'session.wrong')).toHaveLength(10)
  })

  test('lets thirty users sign in from one address at once', async () => {
    for (let i = 0; i < 30; i++) await app.addUser({ username: `user-${i}` })
    const responses = await Promise.all(Array.from({ length: 30 }, (_, i) => signInAs(`user-${i}`, RIGHT)))
    expect(responses.every(({ success }) => success)).toBe(true)
  })

  test('locks out no other user behind one address after twenty failures at many accounts', async () => {
    expect(
      await fail(
        40,
        () => HERE,
        n => `guess-${n}`,
      ),
    ).toBe(0)
    expect((await signInFrom(HERE, {})).status).toBe(200)
  })

  test('keeps the people behind an unnamed proxy apart', async () => {
    const through = (address: string) => ({ 'x-forwarded-for': `10.0.0.9, ${address}` })
    for (let n = 0; n < 25; n++)
      await signInFrom('127.0.0.1', { password: WRONG, headers: through(`203.0.113.${n}`) })
    expect((await signInFrom('127.0.0.1', { headers: through(HERE) })).status).toBe(429)
    expect((await signInFrom('127.0.0.1', { headers: through(ELSEWHERE) })).status).toBe(200)
  })

  test('bounds guesses from many networks, and never locks out a device that signed in before', async () => {
    const { device } = await signInFrom(HERE, {})
    expect(device).toMatch(/^device-1=[A-Za-z0-9]{16}\.[0-9a-f]{64}$/)
    expect(await fail(70, n => `198.51.${n}.1`)).toBe(10)
    expect((await signInFrom(ELSEWHERE, {})).status).toBe(429)
    expect((await signInFrom(ELSEWHERE, { headers: { cookie: device } })).status).toBe(200)
    const forged = device.replace(/.$/, last => (last === '0' ? '1' : '0'))
    expect((await signInFrom(ELSEWHERE, { headers: { cookie: forged } })).status).toBe(429)
    const anna = await app.addUser({ username: 'anna' })
    const foreign = device.replace('device-1', `device-${anna.id}`)
    const guess = { username: 'anna', password: WRONG, headers: { cookie: foreign } }
    for (let n = 0; n < 10; n++) await signInFrom(HERE, guess)
    expect((await signInFrom(HERE, { ...guess, headers: {} })).status).toBe(429)
  })

  test('bounds guesses of a device that signed in before, too', async () => {
    const { device } = await signInFrom(HERE, {})
    const guess = () => signInFrom(HERE, { password: WRONG, headers: { cookie: device } })
    const statuses: number[] = []
    for (let n = 0; n < 12; n++) statuses.push((await guess()).status)
    expect(statuses.filter(status => status === 429)).toHaveLength(2)
    expect((await signInFrom(HERE, {})).status).toBe(200)
  })
})
