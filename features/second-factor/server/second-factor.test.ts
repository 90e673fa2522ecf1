import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import { getReauthentication, reauthenticate } from '#contract/accounts/reauthentication.ts'
import { confirmFactor, signInWithFactor, startPasskey } from '#contract/accounts/second-factor.ts'
import { login } from '#contract/accounts/session.ts'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { getSelf, resetAccessTokenByPost } from '#contract/entities/user.ts'
import { manageUser } from '#features/users/contract.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { describeTimeAhead } from '#server/testing/time-ahead.ts'
import * as endpoints from '../contract.ts'
import { createSoftPasskey } from './testing/soft-passkey.ts'

const ORIGIN = 'https://gate.example'
const PASSWORD = 'a good password'
const STEP_MS = 30_000
const ELEVEN_MINUTES_MS = 11 * 60_000
const ELSEWHERE = '198.51.100.7'

let app: TestApp
let ann: TestClient
const time = describeTimeAhead()
beforeEach(async () => {
  app = await openTestApp()
  await setOption('ServerAddress', ORIGIN)
  ann = await app.addUser({ username: 'ann' })
})
afterEach(() => app.close())

const setOption = (key: string, value: string) =>
  app.root.fetch('/api/option/', { method: 'PUT', body: JSON.stringify({ key, value }) })
const codeOf = (secret: string) => new TOTP({ secret }).generate({ timestamp: Date.now() + time.skippedMs })

/** Adds an app to an account. Codes of the step in which it was added are used up. */
async function addApp(client: TestClient = ann) {
  const { data } = await client.call(endpoints.startTotp, { body: { name: 'Phone' } })
  const added = await client.call(endpoints.confirmTotp, { body: { code: codeOf(data.secret) } })
  time.skippedMs += STEP_MS
  return { secret: data.secret, recovery: added.data.recovery_codes }
}

async function addSoftPasskey(client: TestClient = ann) {
  const passkey = createSoftPasskey(ORIGIN)
  const { data } = await client.call(endpoints.startNewPasskey)
  const body = { name: 'Laptop', passkey: passkey.create(data) }
  return { passkey, added: await client.call(endpoints.addPasskey, { body }) }
}

/** A browser, which keeps cookies. */
function openBrowser(address = '127.0.0.1') {
  const jar = new Map<string, string>()
  const send = async (endpoint: AnyEndpoint, body: unknown = {}, userId = 0) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await app.visitor.fetch(
      endpoint.path,
      {
        method: endpoint.method,
        headers: { cookie, ...(userId !== 0 && { 'new-api-user': String(userId) }) },
        ...(endpoint.method !== 'GET' && { body: JSON.stringify(body) }),
      },
      address,
    )
    for (const [name = '', value = ''] of response.headers
      .getSetCookie()
      .map(text => (text.split(';')[0] ?? '').split('=')))
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    return response.json()
  }
  return { jar, send, typePassword: () => send(login, { username: 'ann', password: PASSWORD }) }
}

describe('a sign-in with a second factor', () => {
  test('is complete only with the code of the app, each of which works once', async () => {
    const { secret } = await addApp()
    const browser = openBrowser()
    expect(await browser.typePassword()).toMatchObject({ success: false, code: 'auth.factor_required' })
    expect([...browser.jar.keys()]).toEqual(['first-step'])
    expect((await browser.send(getSelf, undefined, ann.id)).code).toBe('auth.not_signed_in')
    const totp = codeOf(secret)
    expect(await browser.send(signInWithFactor, { totp })).toMatchObject({ data: { username: 'ann' } })
    expect((await browser.send(getSelf, undefined, ann.id)).success).toBe(true)
    expect(browser.jar.has('first-step')).toBe(false)
    const other = openBrowser()
    await other.typePassword()
    expect((await other.send(signInWithFactor, { totp })).code).toBe('factor.used_code')
  })

  test.each([
    ['one step late', STEP_MS, true],
    ['two steps late', 2 * STEP_MS, false],
    ['one step early', -STEP_MS, true],
    ['two steps early', -2 * STEP_MS, false],
  ])('takes a code of an app whose clock is %s: %p ms, %p', async (_, lateMs, isTaken) => {
    const { secret } = await addApp()
    time.skippedMs += 2 * STEP_MS
    const totp = new TOTP({ secret }).generate({ timestamp: Date.now() + time.skippedMs - lateMs })
    const browser = openBrowser()
    await browser.typePassword()
    expect((await browser.send(signInWithFactor, { totp })).success).toBe(isTaken)
  })

  test.each(['000000', '12345', 'abcdef', '', '1'.repeat(41)])('rejects the code %p in words', async totp => {
    await addApp()
    const browser = openBrowser()
    await browser.typePassword()
    const { success, message } = await browser.send(signInWithFactor, { totp })
    expect(success).toBe(false)
    expect(message).not.toBe('')
    expect(browser.jar.has('session')).toBe(false)
  })

  test('takes one of two uses of a code at once', async () => {
    const { secret } = await addApp()
    const browsers = [openBrowser(), openBrowser()]
    for (const browser of browsers) await browser.typePassword()
    const totp = codeOf(secret)
    const replies = await Promise.all(browsers.map(browser => browser.send(signInWithFactor, { totp })))
    expect(replies.filter(({ success }) => success)).toHaveLength(1)
  })

  test('takes a recovery code once, however it is typed', async () => {
    const { recovery } = await addApp()
    expect(new Set(recovery).size).toBe(10)
    const typed = ` ${(recovery[0] ?? '').toUpperCase().replace('-', ' ')} `
    const first = openBrowser()
    await first.typePassword()
    expect((await first.send(signInWithFactor, { recovery: typed })).success).toBe(true)
    const second = openBrowser()
    await second.typePassword()
    expect((await second.send(signInWithFactor, { recovery: recovery[0] })).code).toBe(
      'factor.wrong_recovery',
    )
    expect((await ann.call(endpoints.listOwnFactors)).data.recovery_codes_left).toBe(9)
  })

  test.each([
    { change: 'the password was replaced', by: () => setPassword() },
    { change: 'the account was banned', by: () => app.root.call(manageUser, ban()) },
    { change: 'ten minutes have passed', by: waitElevenMinutes },
  ])('is over when $change in the middle', async ({ by }) => {
    const { secret } = await addApp()
    const browser = openBrowser()
    await browser.typePassword()
    await by()
    expect((await browser.send(signInWithFactor, { totp: codeOf(secret) })).success).toBe(false)
    expect(browser.jar.has('session')).toBe(false)
  })

  test('is not begun by an invented cookie, nor by one of another kind', async () => {
    const { secret } = await addApp()
    const encrypted = app.secrets.encrypt(JSON.stringify({ userId: ann.id, state: '', at: 9e9 }))
    for (const cookie of ['x', 'eyJhIjoxfQ', Buffer.from(encrypted).toString('base64url')]) {
      const browser = openBrowser()
      browser.jar.set('first-step', cookie)
      const reply = await browser.send(signInWithFactor, { totp: codeOf(secret) })
      expect(reply.code).toBe('factor.no_first_step')
    }
  })

  test('slows down whoever guesses codes with the right password, from any network, but not a device of the owner', async () => {
    const { secret } = await addApp()
    const codes = new Set<string>()
    for (let network = 0; network < 20; network += 1) {
      const browser = openBrowser(`198.51.${network}.1`)
      await browser.typePassword()
      codes.add((await browser.send(signInWithFactor, { totp: '000000' })).code)
    }
    expect(codes).toEqual(new Set(['factor.wrong_code', 'factor.too_often']))
    const known = openBrowser()
    known.jar.set(...deviceOf(ann))
    await known.typePassword()
    expect((await known.send(signInWithFactor, { totp: codeOf(secret) })).success).toBe(true)
  })
})

const ban = () => ({ body: { id: ann.id, action: 'disable' as const } })
async function waitElevenMinutes() {
  time.skippedMs += ELEVEN_MINUTES_MS
}
const setPassword = () =>
  app.db.updateTable('users').set({ password_hash: 'other' }).where('id', '=', ann.id).execute()
/** As a browser keeps it that has signed in before. */
function deviceOf({ id }: TestClient): [string, string] {
  const device = 'a'.repeat(16)
  return [`device-${id}`, `${device}.${app.secrets.hash('device', `${id} ${device}`)}`]
}

describe('a passkey', () => {
  const challengeFor = async (browser: ReturnType<typeof openBrowser>, isAlone = false) =>
    (await browser.send(startPasskey, { is_alone: isAlone })).data as { challenge: string }

  test('signs in after a password, and alone', async () => {
    const { passkey, added } = await addSoftPasskey()
    expect(added.data.recovery_codes).toHaveLength(10)
    const second = openBrowser()
    await second.typePassword()
    const request = await challengeFor(second)
    expect(request).toMatchObject({ rpId: 'gate.example', allowCredentials: [{ id: passkey.id }] })
    const given = passkey.use({ ...request, counter: 1, isVerified: false })
    expect((await second.send(signInWithFactor, { passkey: given })).success).toBe(true)
    const alone = openBrowser()
    const own = await challengeFor(alone, true)
    expect(own).toMatchObject({ userVerification: 'required', allowCredentials: [] })
    const reply = await alone.send(signInWithFactor, { passkey: passkey.use({ ...own, counter: 2 }) })
    expect(reply.data.id).toBe(ann.id)
  })

  const HOSTILE: Readonly<Record<string, { with: object; says: RegExp }>> = {
    'another origin': { with: { origin: 'https://gate.example.thief' }, says: /origin/ },
    'plain http': { with: { origin: 'http://gate.example' }, says: /origin/ },
    'another port': { with: { origin: 'https://gate.example:8443' }, says: /origin/ },
    'another site': { with: { rpId: 'thief.example' }, says: /RP ID/ },
    'a challenge of nobody': { with: { challenge: 'bm9ib2R5' }, says: /challenge/ },
    'no verified owner': { with: { isVerified: false }, says: /user.*verif/i },
  }
  test.each(Object.entries(HOSTILE))(
    'alone with %s is rejected in words',
    async (_, { with: wrong, says }) => {
      const { passkey } = await addSoftPasskey()
      const browser = openBrowser()
      const request = await challengeFor(browser, true)
      const reply = await browser.send(signInWithFactor, {
        passkey: passkey.use({ ...request, counter: 1, ...wrong }),
      })
      expect(reply).toMatchObject({ success: false, code: 'factor.wrong_passkey' })
      expect(reply.message).toMatch(says)
      expect(browser.jar.has('first-step')).toBe(false)
      expect((await browser.send(getSelf, undefined, ann.id)).success).toBe(false)
    },
  )

  test('with the signature of another key is rejected', async () => {
    const { passkey } = await addSoftPasskey()
    const browser = openBrowser()
    const forged = createSoftPasskey(ORIGIN).use({ ...(await challengeFor(browser, true)), counter: 1 })
    const reply = await browser.send(signInWithFactor, {
      passkey: { ...forged, id: passkey.id, rawId: passkey.id },
    })
    expect(reply.code).toBe('factor.wrong_passkey')
  })

  test('is rejected when it repeats a response, or a count: it may be a copy', async () => {
    const { passkey } = await addSoftPasskey()
    const first = openBrowser()
    const given = passkey.use({ ...(await challengeFor(first, true)), counter: 5 })
    expect((await first.send(signInWithFactor, { passkey: given })).success).toBe(true)
    expect((await openBrowser().send(signInWithFactor, { passkey: given })).code).toBe('factor.no_challenge')
    for (const counter of [0, 4, 5]) {
      const copy = openBrowser()
      const used = passkey.use({ ...(await challengeFor(copy, true)), counter })
      expect((await copy.send(signInWithFactor, { passkey: used })).code).toBe('factor.cloned_passkey')
    }
  })

  test('works every time if it counts nothing, as those do that several devices share', async () => {
    const { passkey } = await addSoftPasskey()
    for (let use = 0; use < 2; use += 1) {
      const browser = openBrowser()
      const used = passkey.use(await challengeFor(browser, true))
      expect((await browser.send(signInWithFactor, { passkey: used })).success).toBe(true)
    }
  })

  test('of somebody else completes no sign-in of this account', async () => {
    await addSoftPasskey()
    const bert = await app.addUser({ username: 'bert' })
    const { passkey } = await addSoftPasskey(bert)
    const browser = openBrowser()
    await browser.typePassword()
    const used = passkey.use({ ...(await challengeFor(browser)), counter: 1 })
    expect((await browser.send(signInWithFactor, { passkey: used })).data.id).toBe(bert.id)
    const { data } = await bert.call(startPasskey, { body: {} })
    await ann.call(startPasskey, { body: {} })
    const foreign = await ann.call(confirmFactor, { body: { passkey: passkey.use({ ...data, counter: 2 }) } })
    expect(foreign.code).toBe('factor.unknown_passkey')
  })

  test('is added once, and to one account', async () => {
    const { passkey } = await addSoftPasskey()
    const bert = await app.addUser({ username: 'bert' })
    for (const client of [ann, bert]) {
      const { data } = await client.call(endpoints.startNewPasskey)
      const body = { name: 'Again', passkey: passkey.create(data) }
      expect((await client.call(endpoints.addPasskey, { body })).code).toBe('factor.known_passkey')
    }
  })

  test('needs the address of the server', async () => {
    await setOption('ServerAddress', '')
    expect((await ann.call(endpoints.startNewPasskey)).code).toBe('factor.no_address')
    expect((await ann.call(endpoints.listOwnFactors)).data.is_passkey_ready).toBe(false)
  })
})

describe('a dangerous call', () => {
  test('asks for the second factor, and the password is not enough', async () => {
    const { secret } = await addApp()
    time.skippedMs += ELEVEN_MINUTES_MS
    const reset = () => ann.call(resetAccessTokenByPost)
    expect((await reset()).code).toBe('auth.recent_sign_in_required')
    expect((await ann.call(getReauthentication)).data.methods).toEqual(['totp'])
    const byPassword = await ann.call(reauthenticate, { body: { password: PASSWORD } })
    expect(byPassword.code).toBe('auth.factor_required')
    expect((await reset()).code).toBe('auth.recent_sign_in_required')
    expect((await ann.call(confirmFactor, { body: { totp: '000000' } })).code).toBe('factor.wrong_code')
    expect((await ann.call(confirmFactor, { body: { totp: codeOf(secret) } })).success).toBe(true)
    expect((await reset()).success).toBe(true)
  })

  test('is not confirmed with an access token', async () => {
    const { data: accessToken } = await ann.call(resetAccessTokenByPost)
    const { secret } = await addApp()
    const response = await app.visitor.fetch(confirmFactor.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'new-api-user': String(ann.id) },
      body: JSON.stringify({ totp: codeOf(secret) }),
    })
    expect(await response.json()).toMatchObject({ success: false, code: 'factor.no_first_step' })
  })
})

describe('a required second factor', () => {
  test.each([
    { required: 'admins', role: 'user', isHeld: false },
    { required: 'admins', role: 'admin', isHeld: true },
    { required: 'everybody', role: 'user', isHeld: true },
    { required: 'none', role: 'admin', isHeld: false },
  ] as const)(
    '$required: holds a session of $role without one: $isHeld',
    async ({ required, role, isHeld }) => {
      const user = await app.addUser({ username: 'bert', role })
      await setOption('SecondFactorRequired', required)
      const listed = () => user.fetch('/api/token/').then(response => response.json())
      expect((await listed()).code).toBe(isHeld ? 'auth.enrolment_required' : undefined)
      expect((await user.call(getSelf)).success).toBe(true)
      await addApp(user)
      expect((await listed()).success).toBe(true)
    },
  )
})

describe('the factors of an account', () => {
  test('are listed without secrets, and removed one by one; the last takes the recovery codes with it', async () => {
    const { secret } = await addApp()
    await addSoftPasskey()
    const { data } = await ann.call(endpoints.listOwnFactors)
    expect(data.factors.map(({ kind, name }) => ({ kind, name }))).toEqual([
      { kind: 'totp', name: 'Phone' },
      { kind: 'passkey', name: 'Laptop' },
    ])
    expect(JSON.stringify(data)).not.toContain(secret)
    for (const { id } of data.factors) await ann.call(endpoints.removeOwnFactor, { params: { id } })
    expect((await ann.call(endpoints.listOwnFactors)).data).toMatchObject({
      factors: [],
      recovery_codes_left: 0,
    })
    expect(await openBrowser().typePassword()).toMatchObject({ success: true })
  })

  test('of somebody else cannot be removed', async () => {
    await addApp()
    const bert = await app.addUser({ username: 'bert' })
    const id = (await ann.call(endpoints.listOwnFactors)).data.factors[0]?.id ?? 0
    expect((await bert.call(endpoints.removeOwnFactor, { params: { id } })).code).toBe('factor.unknown')
  })

  test('an app without a code is none, and its secret is void after ten minutes', async () => {
    const { data } = await ann.call(endpoints.startTotp, { body: { name: 'Phone' } })
    expect(await openBrowser().typePassword()).toMatchObject({ success: true })
    time.skippedMs += 9 * 60_000
    expect((await ann.call(endpoints.confirmTotp, { body: { code: '000000' } })).code).toBe(
      'factor.wrong_code',
    )
    time.skippedMs += 2 * 60_000
    const late = await (await signInAgain()).call(endpoints.confirmTotp, {
      body: { code: codeOf(data.secret) },
    })
    expect(late.code).toBe('factor.not_started')
  })

  test('new recovery codes end the former ones', async () => {
    const { recovery } = await addApp()
    const { data } = await ann.call(endpoints.createOwnRecoveryCodes)
    expect(data).toHaveLength(10)
    expect(data).not.toContain(recovery[0] ?? '')
    const browser = openBrowser()
    await browser.typePassword()
    expect((await browser.send(signInWithFactor, { recovery: recovery[1] })).success).toBe(false)
    expect((await browser.send(signInWithFactor, { recovery: data[1] })).success).toBe(true)
  })

  test('are stored encrypted or hashed', async () => {
    const { secret, recovery } = await addApp()
    const rows = await app.db.withTables<{ second_factors: object; recovery_codes: object }>()
    const stored = JSON.stringify([
      await rows.selectFrom('second_factors').selectAll().execute(),
      await rows.selectFrom('recovery_codes').selectAll().execute(),
    ])
    for (const text of [secret, ...recovery]) expect(stored).not.toContain(text)
  })

  test('are removed by a super administrator only, which ends every session', async () => {
    await addApp()
    const admin = await app.addUser({ username: 'admin', role: 'admin' })
    const params = { id: ann.id }
    expect((await admin.call(endpoints.removeFactors, { params })).code).toBe('auth.no_permission')
    expect((await admin.call(endpoints.listFactorsOfUser, { params })).code).toBe('auth.no_permission')
    const { data } = await app.root.call(endpoints.listFactorsOfUser, { params })
    expect(data).toMatchObject([{ kind: 'totp', name: 'Phone' }])
    expect((await app.root.call(endpoints.removeFactors, { params })).success).toBe(true)
    expect((await app.root.call(endpoints.listFactorsOfUser, { params })).data).toEqual([])
    expect((await ann.call(getSelf)).success).toBe(false)
    expect(await openBrowser(ELSEWHERE).typePassword()).toMatchObject({ success: true })
  })
})

const signInAgain = () => app.visitor.signIn({ id: ann.id, username: 'ann', password: PASSWORD })
