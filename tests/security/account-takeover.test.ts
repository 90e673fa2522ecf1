import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ACCESS_TOKEN_PURPOSE, MAIL_ADDRESS_PURPOSE, MAIL_CODE_PURPOSE } from '#server/core/crypto.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createTestClient, type TestClient } from '#server/testing/test-client.ts'
import { describeTimeAhead } from '#server/testing/time-ahead.ts'

const PASSWORD = 'a good password'
const NEW_PASSWORD = 'another password'
const ELEVEN_MINUTES_MS = 11 * 60_000
/** Takes several times as long to verify as a new password takes to be stored. */
const SLOW = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 10 } as const
const RECENT = 'auth.recent_sign_in_required'

let app: TestApp
let anna: TestClient
const time = describeTimeAhead()
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
  await app.db.updateTable('users').set({ email: 'anna@example.org' }).where('id', '=', anna.id).execute()
})
afterEach(() => app.close())

type Call = readonly [method: string, path: string, body?: object]
const send = async (client: TestClient, [method, path, body]: Call, headers: Record<string, string> = {}) => {
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const response = await client.fetch(path, init)
  return { status: response.status, ...(await response.json()) }
}
const self = (client: TestClient, headers = {}) => send(client, ['GET', '/api/user/self'], headers)

const withAccessToken = async () => {
  const access_token_hash = app.secrets.hash(ACCESS_TOKEN_PURPOSE, 'stolen')
  await app.db.updateTable('users').set({ access_token_hash }).where('id', '=', anna.id).execute()
  return { authorization: 'Bearer stolen', 'new-api-user': String(anna.id) }
}
const mailCode = async (purpose: 'verify' | 'reset', address: string, code: string) => {
  const now = Math.floor(Date.now() / 1000) + time.skippedMs / 1000
  const row = {
    address_hash: app.secrets.hash(MAIL_ADDRESS_PURPOSE, `${purpose} ${address}`),
    code_hash: app.secrets.hash(MAIL_CODE_PURPOSE, code),
    created_at: now,
    expires_at: now + 600,
  }
  await app.db.insertInto('mail_codes').values(row).execute()
}
const makeToken = async (): Promise<{ id: number; key: string }> =>
  (await send(anna, ['POST', '/api/token/', { name: 'one', unlimited_quota: true }])).data
const row = () => app.db.selectFrom('users').selectAll().where('id', '=', anna.id).executeTakeFirstOrThrow()

describe('a new password', () => {
  const changes: Readonly<Record<string, () => Promise<{ success: boolean }>>> = {
    'set by the owner': () => send(anna, ['PUT', '/api/user/self', { password: NEW_PASSWORD }]),
    'set by an administrator': () =>
      send(app.root, ['PUT', '/api/user/', { id: anna.id, password: NEW_PASSWORD }]),
    'from a reset by email': async () => {
      await mailCode('reset', 'anna@example.org', 'TOKEN')
      return send(app.visitor, ['POST', '/api/user/reset', { email: 'anna@example.org', token: 'token' }])
    },
  }
  for (const [name, change] of Object.entries(changes))
    test(`${name} ends every session and the access token`, async () => {
      const thief = await app.visitor.signIn({ id: anna.id, username: 'anna', password: PASSWORD })
      const headers = await withAccessToken()
      expect((await self(app.visitor, headers)).success).toBe(true)
      expect((await change()).success).toBe(true)
      expect((await self(thief)).status).toBe(401)
      expect((await self(app.visitor, headers)).code).toBe('auth.invalid_access_token')
      // The cookie of the session that made the change may have been copied.
      expect((await self(anna)).status).toBe(401)
    })

  test('lets the session that made the change go on under a new cookie', async () => {
    const body = JSON.stringify({ password: NEW_PASSWORD })
    const { headers } = await anna.fetch('/api/user/self', { method: 'PUT', body })
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect((await self(createTestClient(app.app, { id: anna.id, cookie }))).success).toBe(true)
  })

  test('voids a reset link that was mailed before', async () => {
    await mailCode('reset', 'anna@example.org', 'TOKEN')
    await send(anna, ['PUT', '/api/user/self', { password: NEW_PASSWORD }])
    const reset: Call = ['POST', '/api/user/reset', { email: 'anna@example.org', token: 'token' }]
    expect((await send(app.visitor, reset)).code).toBe('verification.wrong_link')
  })

  test('leaves nothing to a sign-in with the old one that it overtakes', async () => {
    const password_hash = await Bun.password.hash(PASSWORD, SLOW)
    await app.db.updateTable('users').set({ password_hash }).where('id', '=', anna.id).execute()
    const attempt = send(app.visitor, ['POST', '/api/user/login', { username: 'anna', password: PASSWORD }])
    await Bun.sleep(20)
    await send(app.root, ['PUT', '/api/user/', { id: anna.id, password: NEW_PASSWORD }])
    expect((await attempt).code).toBe('session.wrong')
    const sessions = await app.db.selectFrom('sessions').select('user_id').execute()
    expect(sessions.filter(({ user_id }) => user_id === anna.id)).toEqual([])
  })
})

describe('a stolen session or access token', () => {
  const takeovers = (tokenId: number): Readonly<Record<string, Call>> => ({
    'binds no email address': ['GET', '/api/oauth/email/bind?email=thief@example.org&code=CODE'],
    'unbinds no email address': ['POST', '/api/oauth/unbind', { binding: 'email' }],
    'gets no access token': ['GET', '/api/user/token'],
    'gets no access token by POST': ['POST', '/api/user/token'],
    'reveals no key': ['POST', '/api/token/keys', { ids: [tokenId] }],
    'deletes no account': ['DELETE', '/api/user/self', { username: 'anna' }],
  })

  test('takes nothing over without proof that the owner is present', async () => {
    const token = await makeToken()
    await mailCode('verify', 'thief@example.org', 'CODE')
    const before = await row()
    time.skippedMs = ELEVEN_MINUTES_MS
    for (const call of Object.values(takeovers(token.id)))
      expect([call, (await send(anna, call)).code]).toEqual([call, RECENT])
    expect((await send(anna, ['PUT', '/api/user/self', { password: NEW_PASSWORD }])).code).toBe(
      'user.confirm_password',
    )
    expect(await row()).toEqual(before)

    const headers = await withAccessToken()
    const thief = createTestClient(app.app)
    for (const call of Object.values(takeovers(token.id)))
      expect([call, (await send(thief, call, headers)).code]).toEqual([call, RECENT])
    const proof: Call = ['POST', '/api/user/reauthenticate', { password: PASSWORD }]
    expect((await send(thief, proof, headers)).code).toBe('reauthentication.no_session')
  })

  test('sees masked keys only, and cannot search for them character by character', async () => {
    const { id, key } = await makeToken()
    time.skippedMs = ELEVEN_MINUTES_MS
    const masked = `${key.slice(0, 4)}**********${key.slice(-4)}`
    const [list, one, changed] = await Promise.all([
      send(anna, ['GET', '/api/token/?p=0&size=10']),
      send(anna, ['GET', `/api/token/${id}`]),
      send(anna, ['PUT', '/api/token/', { id, name: 'two' }]),
    ])
    expect([list.data[0].key, one.data.key, changed.data.key]).toEqual([masked, masked, masked])
    const found = async (part: string) =>
      (await send(anna, ['GET', `/api/token/search?keyword=&token=${part}`])).data.length
    expect(await found(key.slice(0, 5))).toBe(0)
    expect(await found(key.slice(10, 20))).toBe(0)
    expect([await found(key.slice(0, 4)), await found(key.slice(-4)), await found(`sk-${key}`)]).toEqual([
      1, 1, 1,
    ])
  })

  test('of the super administrator does not change the own password through user management', async () => {
    time.skippedMs = ELEVEN_MINUTES_MS
    const change: Call = ['PUT', '/api/user/', { id: app.root.id, password: NEW_PASSWORD }]
    expect((await send(app.root, change)).code).toBe(RECENT)
  })
})

describe('a stolen session of the super administrator', () => {
  test('reroutes neither the mails nor the sign-ins of all accounts', async () => {
    const put = (key: string, value: string) => send(app.root, ['PUT', '/api/option/', { key, value }])
    await put('SMTPServer', 'mail.example.org')
    time.skippedMs = ELEVEN_MINUTES_MS
    for (const [key, value] of [
      ['SMTPServer', 'thief.example.org'],
      ['ServerAddress', 'https://thief.example.org'],
      ['WeChatServerAddress', 'https://thief.example.org'],
      ['TelegramBotToken', '1:of-the-thief'],
    ] as const)
      expect([key, (await put(key, value)).code]).toEqual([key, RECENT])
    expect((await put('SMTPServer', 'mail.example.org')).success).toBe(true)
    expect((await put('SystemName', 'Gate')).success).toBe(true)
  })
})

describe('proof that the owner is present', () => {
  test('is the password, for ten minutes and for this session only', async () => {
    const { id, key } = await makeToken()
    const other = await app.visitor.signIn({ id: anna.id, username: 'anna', password: PASSWORD })
    time.skippedMs = ELEVEN_MINUTES_MS
    const reveal: Call = ['POST', '/api/token/keys', { ids: [id] }]
    expect((await send(anna, ['GET', '/api/user/reauthenticate'])).data).toEqual({
      is_recent: false,
      methods: ['password'],
    })
    const prove = (password: string) => send(anna, ['POST', '/api/user/reauthenticate', { password }])
    expect((await prove('wrong')).code).toBe('reauthentication.wrong_password')
    expect((await send(anna, reveal)).status).toBe(403)
    expect((await prove(PASSWORD)).success).toBe(true)
    expect((await send(anna, reveal)).data).toEqual([{ id, key }])
    expect((await send(other, reveal)).status).toBe(403)
    time.skippedMs += ELEVEN_MINUTES_MS
    expect((await send(anna, reveal)).status).toBe(403)
  })

  test('is a mailed code for an account without a password, and never for one with a password', async () => {
    const code: Call = ['POST', '/api/user/reauthenticate', { code: 'abc123' }]
    await app.db
      .insertInto('mail_codes')
      .values({
        address_hash: app.secrets.hash(MAIL_ADDRESS_PURPOSE, 'reauthenticate anna@example.org'),
        code_hash: app.secrets.hash(MAIL_CODE_PURPOSE, 'ABC123'),
        created_at: 1,
        expires_at: 2 ** 40,
      })
      .execute()
    expect((await send(anna, code)).code).toBe('reauthentication.no_code')
    await app.db.updateTable('users').set({ password_hash: '' }).where('id', '=', anna.id).execute()
    time.skippedMs = ELEVEN_MINUTES_MS
    expect((await send(anna, ['POST', '/api/user/reauthenticate', { password: '' }])).success).toBe(false)
    expect((await send(anna, code)).success).toBe(true)
    expect((await send(anna, code)).code).toBe('reauthentication.wrong_code')
    expect((await send(anna, ['POST', '/api/user/token'])).success).toBe(true)
  })
})

describe('the deletion of an account', () => {
  test('needs the typed user name', async () => {
    expect(await send(anna, ['DELETE', '/api/user/self'])).toMatchObject({ status: 400, success: false })
    expect((await send(anna, ['DELETE', '/api/user/self', { username: 'bert' }])).success).toBe(false)
    expect((await row()).deleted_at).toBeNull()
    expect((await send(anna, ['DELETE', '/api/user/self', { username: 'anna' }])).success).toBe(true)
  })
})
