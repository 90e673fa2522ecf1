import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { unbind } from '#contract/accounts/oauth.ts'
import {
  getReauthentication,
  reauthenticate,
  sendReauthenticationCode,
} from '#contract/accounts/reauthentication.ts'
import { login } from '#contract/accounts/session.ts'
import { getSelf } from '#contract/entities/user.ts'
import { register } from '#features/account/contract.ts'
import { setClock } from '#server/core/clock.ts'
import { PROVIDER_ENDPOINTS } from '#server/http-client/provider-request.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '#server/testing/local-mail-server.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import {
  bindEmail,
  bindEmailByPost,
  resetPassword,
  sendReset,
  sendTestMail,
  sendVerification,
} from '../../contract.ts'

const PASSWORD = 'a good password'
const EMAIL = 'bert@example.org'

let post: LocalMailServer
let app: TestApp
let now: number
let restoreClock: () => void
beforeEach(async () => {
  now = Date.now()
  restoreClock = setClock({ nowMs: () => now, elapsedMs: () => performance.now() })
  post = await openLocalMailServer()
  app = await openTestApp({
    parts: { providerEndpoints: { ...PROVIDER_ENDPOINTS, mailCertificateAuthority: post.authority } },
  })
  await options({
    SMTPServer: 'localhost',
    SMTPPort: String(post.port),
    SMTPAccount: MAIL_ACCOUNT.user,
    SMTPToken: MAIL_ACCOUNT.password,
    ServerAddress: 'https://gate.example',
    EmailVerificationEnabled: 'true',
    SystemName: '我的网关',
  })
})
afterEach(async () => {
  restoreClock()
  await app.close()
  await post.close()
})

const options = async (values: Readonly<Record<string, string>>) => {
  const body = JSON.stringify(Object.entries(values).map(([key, value]) => ({ key, value })))
  const response = await app.root.fetch('/api/option/', { method: 'PUT', body })
  expect(await response.json()).toMatchObject({ success: true })
}

const ask = (email = EMAIL, headers = {}) => app.visitor.call(sendVerification, { query: { email }, headers })
const askReset = (email = EMAIL) => app.visitor.call(sendReset, { query: { email } })
const codeIn = (text = '') => /^[A-Z\d]{6}$/m.exec(text)?.[0] ?? 'no code'
const mailedCode = async (email = EMAIL): Promise<string> => {
  expect(await ask(email)).toMatchObject({ success: true })
  return codeIn(post.mails.at(-1)?.text)
}
const join = (body: object = {}) =>
  app.visitor.call(register, { body: { username: 'bert', password: PASSWORD, email: EMAIL, ...body } })
const linkIn = (text = ''): URL => new URL(/https:\/\/\S+/.exec(text)?.[0] ?? 'about:blank')
/** Registers a user with a verified address. */
const addAnna = async () => {
  const anna = await app.addUser({ username: 'anna' })
  await app.db.updateTable('users').set({ email: 'anna@example.org' }).where('id', '=', anna.id).execute()
  return anna
}
const mailedToken = async (email = 'anna@example.org'): Promise<string> => {
  expect((await askReset(email)).success).toBe(true)
  await post.next()
  return linkIn(post.mails.at(-1)?.text).searchParams.get('token') ?? ''
}

describe('a verification code', () => {
  test('is emailed and registers the address with the account', async () => {
    const code = await mailedCode('Bert@Example.org')
    expect(post.mails[0]).toMatchObject({ to: [EMAIL], isEncrypted: true })
    expect((await join({ verification_code: code.toLowerCase() })).success).toBe(true)
    const { data } = await app.visitor.call(login, { body: { username: EMAIL, password: PASSWORD } })
    expect(data).toMatchObject({ username: 'bert', email: EMAIL })
  })

  test("is written in the caller's language and signed with the system name", async () => {
    await ask(EMAIL, { 'accept-language': 'zh-CN' })
    await ask('carl@example.org', { 'accept-language': 'en' })
    const [zh, en] = post.mails
    expect(zh?.subject).toBe('[我的网关] 验证您的邮箱')
    expect(zh?.text).toContain('10 分钟内有效')
    expect(en?.subject).toBe('[我的网关] Verify your email address')
    expect(en?.text).toContain('valid for 10 minutes')
  })

  test('is valid once', async () => {
    const code = await mailedCode()
    expect((await join({ verification_code: code })).success).toBe(true)
    const again = await join({ username: 'carl', verification_code: code })
    expect(again.code).toBe('account.wrong_code')
  })

  test('stays valid when the registration fails for another reason', async () => {
    const code = await mailedCode()
    expect((await join({ username: 'root', verification_code: code })).code).toBe('account.name_taken')
    expect((await join({ verification_code: code })).success).toBe(true)
  })

  test('is valid for ten minutes and its own address only', async () => {
    const code = await mailedCode()
    expect((await join({ email: 'x@example.org', verification_code: code })).code).toBe('account.wrong_code')
    now += 601_000
    expect((await join({ verification_code: code })).code).toBe('account.wrong_code')
  })

  test('is invalid after five wrong attempts', async () => {
    const code = await mailedCode()
    for (let i = 0; i < 5; i += 1)
      expect((await join({ verification_code: `${i}` })).code).toBe('account.wrong_code')
    expect((await join({ verification_code: code })).code).toBe('account.wrong_code')
  })

  test('is replaced by the next one after 30 seconds at the earliest', async () => {
    const first = await mailedCode()
    now += 12_000
    const hasty = await ask()
    expect(hasty).toMatchObject({ status: 429, code: 'mail_code.too_soon' })
    expect(hasty.headers.get('retry-after')).toBe('18')
    now += 18_000
    const second = await mailedCode()
    expect((await join({ verification_code: first })).code).toBe('account.wrong_code')
    expect((await join({ verification_code: second })).success).toBe(true)
  })

  test('is not sent twice by two concurrent calls', async () => {
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await ask()).status))
    expect(statuses.sort()).toEqual([200, 429, 429, 429])
    expect(post.mails).toHaveLength(1)
  })

  test('is not stored in plain text', async () => {
    const code = await mailedCode()
    const rows = JSON.stringify(await app.db.selectFrom('mail_codes').selectAll().execute())
    expect(rows).not.toContain(code)
    expect(rows).not.toContain(EMAIL)
  })

  test('is not sent to a registered address; its owner is notified instead', async () => {
    await addAnna()
    const responses = [await ask('anna@example.org'), await ask('nobody@example.org')]
    expect(responses[0]?.envelope).toEqual(responses[1]?.envelope ?? {})
    expect(post.mails.map(({ text }) => codeIn(text) === 'no code')).toEqual([true, false])
    expect(post.mails[0]?.text).toContain('already belongs to an account')
  })

  test('is required to register while the options say so', async () => {
    expect((await join()).code).toBe('account.email_unverified')
    expect((await join({ email: '', verification_code: 'AAAAAA' })).code).toBe('account.email_unverified')
  })

  test('is rejected for invalid addresses and for domains and aliases that are not allowed', async () => {
    for (const email of ['', 'bert', 'a@b@example.org', `${'x'.repeat(45)}@b.org`])
      expect((await ask(email)).code).toBe('invalid_parameter')
    await options({ EmailDomainWhitelist: 'example.org,QQ.com', EmailDomainRestrictionEnabled: 'true' })
    expect((await ask('a@example.com')).code).toBe('verification.domain')
    expect((await ask('a@sub.example.org')).code).toBe('verification.domain')
    expect((await ask('a@qq.com')).success).toBe(true)
    await options({ EmailAliasRestrictionEnabled: 'true' })
    expect((await ask('a.b@example.org')).code).toBe('verification.alias')
    expect((await ask('a+b@example.org')).code).toBe('verification.alias')
  })

  test('reports a missing mail server and a rejected email', async () => {
    await options({ SMTPToken: 'wrong' })
    expect((await ask()).code).toBe('mail.failed')
    await options({ SMTPServer: '', EmailVerificationEnabled: 'false' })
    expect((await ask('carl@example.org')).code).toBe('mail.not_configured')
  })

  test.each([bindEmail, bindEmailByPost])('binds the address to the account with $method', async endpoint => {
    const anna = await app.addUser({ username: 'anna' })
    const code = await mailedCode()
    const given = (code: string) =>
      endpoint.method === 'GET'
        ? { query: { email: EMAIL, code: code } }
        : { body: { email: EMAIL, code: code } }
    expect((await anna.call(endpoint, given('WRONG1'))).code).toBe('verification.wrong_code')
    expect((await anna.call(endpoint, given(code))).success).toBe(true)
    expect((await anna.call(getSelf)).data.email).toBe(EMAIL)
    expect((await anna.call(endpoint, given(code))).code).toBe('verification.wrong_code')
  })

  test('tells the former address of a new one and of its removal', async () => {
    const anna = await addAnna()
    const code = await mailedCode()
    await post.next()
    await anna.call(bindEmail, { query: { email: EMAIL, code } })
    await post.next()
    expect(post.mails.at(-1)).toMatchObject({
      to: ['anna@example.org'],
      subject: '[我的网关] Your account has a new email address',
      text: expect.stringContaining('the account anna'),
    })
    await anna.call(unbind, { body: { binding: 'email' } })
    await post.next()
    expect(post.mails.at(-1)).toMatchObject({
      to: [EMAIL],
      subject: '[我的网关] Your email address was removed from your account',
    })
    expect(post.mails).toHaveLength(3)
  })

  test('keeps the code for the repetition after a reauthentication', async () => {
    const anna = await addAnna()
    now += 11 * 60_000
    const query = { email: EMAIL, code: await mailedCode() }
    expect((await anna.call(bindEmail, { query })).code).toBe('auth.recent_sign_in_required')
    await anna.call(reauthenticate, { body: { password: PASSWORD } })
    expect((await anna.call(bindEmail, { query })).success).toBe(true)
  })

  test('mails a code that reauthenticates an account without a password', async () => {
    const anna = await addAnna()
    expect((await anna.call(sendReauthenticationCode)).code).toBe('reauthentication.no_code')
    await app.db.updateTable('users').set({ password_hash: '' }).where('id', '=', anna.id).execute()
    expect((await anna.call(getReauthentication)).data.methods).toEqual(['email'])
    now += 11 * 60_000
    expect((await anna.call(sendReauthenticationCode)).success).toBe(true)
    expect(post.mails.at(-1)?.to).toEqual(['anna@example.org'])
    const code = codeIn(post.mails.at(-1)?.text)
    expect((await anna.call(reauthenticate, { body: { code } })).success).toBe(true)
    expect((await anna.call(getReauthentication)).data.is_recent).toBe(true)
  })

  test('does not bind an address that was registered in the meantime', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const code = await mailedCode()
    await app.db.updateTable('users').set({ email: EMAIL }).where('id', '=', app.root.id).execute()
    const query = { email: EMAIL, code }
    expect((await anna.call(bindEmail, { query })).code).toBe('verification.taken')
  })
})

describe('a password reset', () => {
  test('works once with an emailed link and ends every session', async () => {
    const anna = await addAnna()
    const token = await mailedToken()
    const link = linkIn(post.mails[0]?.text)
    expect(link.origin + link.pathname).toBe('https://gate.example/user/reset')
    expect(link.searchParams.get('email')).toBe('anna@example.org')
    const body = { email: 'Anna@example.org', token }
    const { data: password } = await app.visitor.call(resetPassword, { body })
    expect(password).toMatch(/^[A-Za-z0-9]{16}$/)
    expect((await anna.call(getSelf)).status).toBe(401)
    const signIn = (code: string) => app.visitor.call(login, { body: { username: 'anna', password: code } })
    expect((await signIn(PASSWORD)).code).toBe('session.wrong')
    expect((await signIn(password)).success).toBe(true)
    expect((await app.visitor.call(resetPassword, { body })).code).toBe('verification.wrong_link')
  })

  test('lets its device in while others guess at the account', async () => {
    const anna = await addAnna()
    const signIn = (password: string, address: string, cookie = '') =>
      app.visitor.fetch(
        login.path,
        { method: 'POST', body: JSON.stringify({ username: 'anna', password }), headers: { cookie } },
        address,
      )
    for (let network = 0; network < 60; network += 1) await signIn('wrong password', `198.51.${network}.1`)
    const body = JSON.stringify({ email: 'anna@example.org', token: await mailedToken() })
    const reset = await app.visitor.fetch(resetPassword.path, { method: 'POST', body }, '203.0.113.1')
    const { data: password } = await reset.json()
    const [device = ''] = (reset.headers.get('set-cookie') ?? '').split(';')
    expect(device).toStartWith(`device-${anna.id}=`)
    expect((await signIn(password, '203.0.113.1')).status).toBe(429)
    expect((await signIn(password, '203.0.113.1', device)).status).toBe(200)
  })

  test('succeeds once in four concurrent uses of a link', async () => {
    await addAnna()
    const body = { email: 'anna@example.org', token: await mailedToken() }
    const responses = await Promise.all([1, 2, 3, 4].map(() => app.visitor.call(resetPassword, { body })))
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
  })

  test('responds the same whether or not the address has an account', async () => {
    await addAnna()
    const responses = [await askReset('anna@example.org'), await askReset('nobody@example.org')]
    expect(responses[0]?.envelope).toEqual(responses[1]?.envelope ?? {})
    const hasty = [await askReset('anna@example.org'), await askReset('nobody@example.org')]
    expect(hasty.map(({ status }) => status)).toEqual([429, 429])
    await post.next()
    expect(post.mails).toHaveLength(1)
  })

  test('is rejected for a wrong, expired or foreign token and for a banned account', async () => {
    const anna = await addAnna()
    const reset = (token: string, email = 'anna@example.org') =>
      app.visitor.call(resetPassword, { body: { email, token } })
    const token = await mailedToken()
    expect((await reset('wrong')).code).toBe('verification.wrong_link')
    expect((await reset('')).code).toBe('invalid_parameter')
    expect((await reset(token, 'root@example.org')).code).toBe('verification.wrong_link')
    await app.db.updateTable('users').set({ status: 2 }).where('id', '=', anna.id).execute()
    expect((await reset(token)).code).toBe('verification.wrong_link')
    await app.db.updateTable('users').set({ status: 1 }).where('id', '=', anna.id).execute()
    now += 601_000
    expect((await reset(token)).code).toBe('verification.wrong_link')
  })

  test('does not accept a verification code as a token', async () => {
    await addAnna()
    await ask('anna@example.org')
    await app.db.updateTable('users').set({ email: EMAIL }).where('id', '=', app.root.id).execute()
    const code = await mailedCode('carl@example.org')
    const body = { email: 'carl@example.org', token: code }
    expect((await app.visitor.call(resetPassword, { body })).code).toBe('verification.wrong_link')
  })

  test('requires the server address and a mail server', async () => {
    await options({ ServerAddress: '' })
    expect((await askReset()).code).toBe('verification.no_server_address')
    await options({
      ServerAddress: 'https://gate.example',
      SMTPServer: '',
      EmailVerificationEnabled: 'false',
    })
    expect((await askReset()).code).toBe('mail.not_configured')
  })
})

test("reports the mail server's response to a test of the mail settings", async () => {
  const body = { email: 'root@example.org' }
  expect((await app.root.call(sendTestMail, { body })).success).toBe(true)
  expect(post.mails[0]).toMatchObject({
    to: ['root@example.org'],
    subject: '[我的网关] Test email',
  })
  await options({ SMTPToken: 'wrong' })
  const failed = await app.root.call(sendTestMail, { body })
  expect(failed).toMatchObject({ success: false, code: 'mail.server_said' })
  expect(failed.message).toContain('535')
})
