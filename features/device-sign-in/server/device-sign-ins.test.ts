import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createToken, deleteToken, listTokens, updateToken } from '#contract/entities/token.ts'
import { putOptions } from '#contract/options/options.ts'
import { updateUser } from '#features/users/contract.ts'
import { setClock } from '#server/core/clock.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { approveDeviceSignIn, denyDeviceSignIn, findDeviceSignIn } from '../contract.ts'
import { withDeviceTables } from './tables.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const HOME = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'

let app: TestApp
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  await turn('true')
  anna = await app.addUser({ username: 'anna', quota: 1000 })
})
afterEach(() => app.close())

const turn = (value: string) => app.root.call(putOptions, { body: { key: 'DeviceSignInEnabled', value } })

async function post(path: string, form: Record<string, string>, address = HOME) {
  const request = new Request(`http://gateway.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  })
  const response = await app.app.fetch(request, { requestIP: () => ({ address }) })
  return { status: response.status, body: await response.json() }
}

const start = async (form = {}) => (await post('/oauth/device_authorization', form)).body
const poll = (device_code: string) => post('/oauth/token', { grant_type: GRANT, device_code })
const refresh = (refresh_token: string, address = HOME) =>
  post('/oauth/token', { grant_type: 'refresh_token', refresh_token }, address)
const approve = (user_code: string, client = anna, name = 'Claude Code on laptop') =>
  client.call(approveDeviceSignIn, { body: { user_code, name, group: '' } })
const tokensOf = async (client: TestClient) => (await client.call(listTokens, { query: { p: 0 } })).data

async function signIn() {
  const { device_code, user_code } = await start()
  await approve(user_code)
  return (await poll(device_code)).body
}

describe('200', () => {
  test('a program gets a token of its user once the user approves, and once only', async () => {
    const { device_code, user_code, verification_uri_complete } = await start({ client_name: 'My agent' })
    expect(verification_uri_complete).toBe(`http://gateway.test/device?user_code=${user_code}`)
    expect((await poll(device_code)).body.error).toBe('authorization_pending')
    expect((await poll(device_code)).body.error).toBe('slow_down')
    const typed = user_code.toLowerCase().replace('-', ' ')
    const { data } = await anna.call(findDeviceSignIn, { body: { user_code: typed } })
    expect(data).toMatchObject({ user_code, name: 'My agent', address: HOME })
    await approve(user_code)
    const { status, body } = await poll(device_code)
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 480 * 60 })
    const [token] = await tokensOf(anna)
    expect(token).toMatchObject({ name: 'Claude Code on laptop', unlimited_quota: true, status: 1 })
    expect(body.access_token).toBe(`sk-${await keyOf(token?.id ?? 0)}`)
    expect((await poll(device_code)).body.error).toBe('expired_token')
    const logs = await app.db.selectFrom('logs').select('content').where('username', '=', 'anna').execute()
    expect(logs.map(({ content }) => content).join()).toContain(`Let a program at ${HOME} sign in`)
    const audit = await (await app.root.fetch('/api/audit/?action=device%20code')).json()
    expect(audit.data.items).toMatchObject([
      { credential: 'device', actor_name: 'anna', address: HOME, after: { [token?.id ?? 0]: {} } },
    ])
    expect(JSON.stringify(audit)).not.toContain(body.access_token.slice(3))
  })

  test('a refresh replaces the key and the refresh token and keeps the token', async () => {
    const first = await signIn()
    const { status, body: second } = await refresh(first.refresh_token)
    expect(status).toBe(200)
    expect(second.access_token).not.toBe(first.access_token)
    const tokens = await tokensOf(anna)
    expect(tokens).toHaveLength(1)
    expect(second.access_token).toBe(`sk-${await keyOf(tokens[0]?.id ?? 0)}`)
    expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(second.refresh_token)).status).toBe(200)
  })

  test('stores neither codes nor tokens in readable form', async () => {
    const { access_token, refresh_token } = await signIn()
    const pending = await start()
    const stored = JSON.stringify([
      await withDeviceTables(app.db).selectFrom('device_codes').selectAll().execute(),
      await withDeviceTables(app.db).selectFrom('device_grants').selectAll().execute(),
      await app.db.selectFrom('tokens').selectAll().execute(),
    ])
    const secrets = [access_token.slice(3), refresh_token.slice(4, 36), refresh_token.slice(36)]
    for (const secret of [...secrets, pending.device_code, pending.user_code.replace('-', '')])
      expect(stored).not.toContain(secret)
  })

  test('revocation deletes the token, and an unknown token is no error', async () => {
    const { refresh_token } = await signIn()
    expect((await post('/oauth/revoke', { token: 'unknown' })).status).toBe(200)
    expect(await tokensOf(anna)).toHaveLength(1)
    expect((await post('/oauth/revoke', { token: refresh_token })).status).toBe(200)
    expect(await tokensOf(anna)).toEqual([])
    expect((await refresh(refresh_token)).status).toBe(401)
  })
})

describe('refused', () => {
  test('a denied program is told so', async () => {
    const { device_code, user_code } = await start()
    await anna.call(denyDeviceSignIn, { body: { user_code } })
    expect((await poll(device_code)).body.error).toBe('access_denied')
    expect(await tokensOf(anna)).toEqual([])
  })

  test('unknown and decided codes are 404 for everybody, and guessing is limited', async () => {
    const { user_code } = await start()
    await approve(user_code)
    const bert = await app.addUser({ username: 'bert' })
    expect(
      await bert.call(approveDeviceSignIn, { body: { user_code, name: 'mine', group: '' } }),
    ).toMatchObject({ status: 404, code: 'device.unknown_code' })
    const guess = () => bert.call(findDeviceSignIn, { body: { user_code: 'BBBB-BBBB' } })
    for (let attempt = 0; attempt < 19; attempt += 1) expect((await guess()).status).toBe(404)
    expect(await guess()).toMatchObject({ status: 429, code: 'device.too_often' })
  })

  test('of two users who approve a code at once, one lets the program in', async () => {
    const bert = await app.addUser({ username: 'bert' })
    const { user_code } = await start()
    const decisions = await Promise.all([approve(user_code), approve(user_code, bert)])
    expect(decisions.filter(({ success }) => success)).toHaveLength(1)
    expect(decisions).toContainEqual(expect.objectContaining({ code: 'device.unknown_code' }))
  })

  test('wrong secrets are limited by network, and a right one passes all the same', async () => {
    const { refresh_token } = await signIn()
    const pending = await start()
    const wrong = (at: number) => (at % 2 ? refresh(`tgr_${at}`) : poll(`${at}`))
    const results = await Promise.all(Array.from({ length: 61 }, (_, at) => wrong(at)))
    expect(results.filter(({ status }) => status === 429)).toHaveLength(1)
    expect((await wrong(61)).status).toBe(429)
    expect((await refresh('tgr_wrong', ELSEWHERE)).status).toBe(401)
    expect((await refresh(refresh_token)).status).toBe(200)
    await approve(pending.user_code)
    expect((await poll(pending.device_code)).status).toBe(200)
  })

  test.each(['disabled', 'deleted'])('a program whose token is %s cannot refresh', async how => {
    const { refresh_token } = await signIn()
    const id = (await tokensOf(anna))[0]?.id ?? 0
    if (how === 'deleted') await anna.call(deleteToken, { params: { id } })
    else await anna.call(updateToken, { query: { status_only: 'true' }, body: { id, status: 2 } })
    expect(await refresh(refresh_token)).toMatchObject({ status: 401, body: { error: 'invalid_grant' } })
  })

  test('a session that has not signed in recently lets no program in', async () => {
    const restore = setClock({ nowMs: () => Date.now() + 601_000, elapsedMs: () => 0 })
    try {
      const { user_code } = await start()
      expect(await approve(user_code)).toMatchObject({
        status: 403,
        code: 'auth.recent_sign_in_required',
      })
      expect(await tokensOf(anna)).toEqual([])
    } finally {
      restore()
    }
  })

  test('a new password ends sign-ins of programs, approved ones too', async () => {
    const { refresh_token } = await signIn()
    const approved = await start()
    await approve(approved.user_code)
    await anna.call(createToken, { body: { name: 'own' } })
    await app.root.call(updateUser, { body: { id: anna.id, password: 'another one' } })
    expect(await refresh(refresh_token)).toMatchObject({ status: 401, body: { error: 'invalid_grant' } })
    expect((await poll(approved.device_code)).status).toBe(400)
    const tokens = await app.db.selectFrom('tokens').select('name').where('deleted_at', 'is', null).execute()
    expect(tokens).toEqual([{ name: 'own' }])
  })

  test('programs of a banned user get neither a token nor another key', async () => {
    const { refresh_token } = await signIn()
    const approved = await start()
    await approve(approved.user_code)
    await app.db.updateTable('users').set({ status: 2 }).where('id', '=', anna.id).execute()
    expect(await refresh(refresh_token)).toMatchObject({ status: 401, body: { error: 'invalid_grant' } })
    expect((await poll(approved.device_code)).status).toBe(400)
    const { count } = await app.db
      .selectFrom('tokens')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(1)
  })

  test('a spent refresh token from another network ends the sign-in', async () => {
    const first = await signIn()
    const { body: second } = await refresh(first.refresh_token)
    expect((await refresh(first.refresh_token, ELSEWHERE)).body.error).toBe('invalid_grant')
    expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant')
    expect((await tokensOf(anna))[0]?.status).toBe(2)
  })

  test('concurrent exchanges and refreshes succeed once', async () => {
    const { device_code, user_code } = await start()
    await approve(user_code)
    const exchanged = await Promise.all([poll(device_code), poll(device_code), poll(device_code)])
    expect(exchanged.filter(({ status }) => status === 200)).toHaveLength(1)
    const token = exchanged.find(({ status }) => status === 200)?.body.refresh_token
    const refreshed = await Promise.all([refresh(token), refresh(token), refresh(token)])
    expect(refreshed.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await tokensOf(anna)).toHaveLength(1)
  })

  test('an expiry that the owner has set limits the program', async () => {
    const { refresh_token } = await signIn()
    const id = (await tokensOf(anna))[0]?.id ?? 0
    const expired_time = Math.floor(Date.now() / 1000) + 60
    await anna.call(updateToken, { body: { id, expired_time } })
    const { body } = await refresh(refresh_token)
    expect(body.expires_in).toBeLessThanOrEqual(60)
    expect((await tokensOf(anna))[0]?.expired_time).toBe(expired_time)
  })

  test('everything is 404 while the option is off', async () => {
    const { device_code, user_code } = await start()
    await turn('false')
    expect((await poll(device_code)).status).toBe(404)
    expect((await anna.call(findDeviceSignIn, { body: { user_code } })).status).toBe(404)
    for (const path of ['/.well-known/oauth-authorization-server', '/managed/settings', '/protocol'])
      expect((await app.visitor.fetch(path)).status).toBe(404)
  })
})

async function keyOf(id: number): Promise<string> {
  const row = await app.db
    .selectFrom('tokens')
    .select('key_sealed')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return app.secrets.decrypt(row.key_sealed)
}
