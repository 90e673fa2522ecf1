import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { register } from '#contract/accounts/account.ts'
import { login } from '#contract/accounts/session.ts'
import { getSelf } from '#contract/accounts/users.ts'
import {
  bindEmail,
  bindEmailByPost,
  resetPassword,
  sendReset,
  sendTestMail,
  sendVerification,
} from '#contract/accounts/verification.ts'
import { setClock } from '../../core/clock.ts'
import { PROVIDER_ENDPOINTS } from '../../integrations/provider-request.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '../../testing/local-mail-server.ts'
import { openTestApp, type TestApp } from '../../testing/open-test-app.ts'

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
  const answer = await app.root.fetch('/api/option/', { method: 'PUT', body })
  expect(await answer.json()).toMatchObject({ success: true })
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
/** A user whose address is verified. */
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

describe('a code for an address', () => {
  test('is mailed, and registers the address with the account', async () => {
    const code = await mailedCode('Bert@Example.org')
    expect(post.mails[0]).toMatchObject({ to: [EMAIL], isEncrypted: true })
    expect((await join({ verification_code: code.toLowerCase() })).success).toBe(true)
    const { data } = await app.visitor.call(login, { body: { username: EMAIL, password: PASSWORD } })
    expect(data).toMatchObject({ username: 'bert', email: EMAIL })
  })

  test('is written in the language of whoever asks, and signed with the name of the system', async () => {
    await ask(EMAIL, { 'accept-language': 'zh-CN' })
    await ask('carl@example.org', { 'accept-language': 'en' })
    const [zh, en] = post.mails
    expect(zh?.subject).toBe('我的网关: 邮箱验证邮件')
    expect(zh?.text).toContain('10 分钟内有效')
    expect(en?.subject).toBe('我的网关: verify your e-mail address')
    expect(en?.text).toContain('good for 10 minutes')
  })

  test('is good once', async () => {
    const code = await mailedCode()
    expect((await join({ verification_code: code })).success).toBe(true)
    const again = await join({ username: 'carl', verification_code: code })
    expect(again.code).toBe('account.wrong_code')
  })

  test('stays good when the registration fails for another reason', async () => {
    const code = await mailedCode()
    expect((await join({ username: 'root', verification_code: code })).code).toBe('account.name_taken')
    expect((await join({ verification_code: code })).success).toBe(true)
  })

  test('is good for ten minutes, and for its own address only', async () => {
    const code = await mailedCode()
    expect((await join({ email: 'x@example.org', verification_code: code })).code).toBe('account.wrong_code')
    now += 601_000
    expect((await join({ verification_code: code })).code).toBe('account.wrong_code')
  })

  test('is worthless after five wrong ones', async () => {
    const code = await mailedCode()
    for (let i = 0; i < 5; i += 1)
      expect((await join({ verification_code: `${i}` })).code).toBe('account.wrong_code')
    expect((await join({ verification_code: code })).code).toBe('account.wrong_code')
  })

  test('is replaced by the next one, which is sent after half a minute at the earliest', async () => {
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

  test('is not sent twice by two calls at once', async () => {
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await ask()).status))
    expect(statuses.sort()).toEqual([200, 429, 429, 429])
    expect(post.mails).toHaveLength(1)
  })

  test('is not in the database', async () => {
    const code = await mailedCode()
    const rows = JSON.stringify(await app.db.selectFrom('mail_codes').selectAll().execute())
    expect(rows).not.toContain(code)
    expect(rows).not.toContain(EMAIL)
  })

  test('is not sent to an address that has an account: its owner is told, whoever asks is not', async () => {
    await addAnna()
    const answers = [await ask('anna@example.org'), await ask('nobody@example.org')]
    expect(answers[0]?.envelope).toEqual(answers[1]?.envelope ?? {})
    expect(post.mails.map(({ text }) => codeIn(text) === 'no code')).toEqual([true, false])
    expect(post.mails[0]?.text).toContain('belongs to an account already')
  })

  test('is needed to register while the options say so', async () => {
    expect((await join()).code).toBe('account.email_unverified')
    expect((await join({ email: '', verification_code: 'AAAAAA' })).code).toBe('account.email_unverified')
  })

  test('is refused for what is no address, and for domains and aliases that are not let in', async () => {
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

  test('says so when no mail server is named, or it does not take the mail', async () => {
    await options({ SMTPToken: 'wrong' })
    expect((await ask()).code).toBe('mail.failed')
    await options({ SMTPServer: '' })
    expect((await ask('carl@example.org')).code).toBe('mail.not_configured')
  })

  test.each([bindEmail, bindEmailByPost])(
    'binds the address to the own account by $method',
    async endpoint => {
      const anna = await app.addUser({ username: 'anna' })
      const code = await mailedCode()
      const given = (wanted: string) =>
        endpoint.method === 'GET'
          ? { query: { email: EMAIL, code: wanted } }
          : { body: { email: EMAIL, code: wanted } }
      expect((await anna.call(endpoint, given('WRONG1'))).code).toBe('verification.wrong_code')
      expect((await anna.call(endpoint, given(code))).success).toBe(true)
      expect((await anna.call(getSelf)).data.email).toBe(EMAIL)
      expect((await anna.call(endpoint, given(code))).code).toBe('verification.wrong_code')
    },
  )

  test('does not bind an address that got an account meanwhile', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const code = await mailedCode()
    await app.db.updateTable('users').set({ email: EMAIL }).where('id', '=', app.root.id).execute()
    const query = { email: EMAIL, code }
    expect((await anna.call(bindEmail, { query })).code).toBe('verification.taken')
  })
})

describe('a new password', () => {
  test('comes by a mailed link, once, and ends every session', async () => {
    const anna = await addAnna()
    const token = await mailedToken()
    const link = linkIn(post.mails[0]?.text)
    expect(link.origin + link.pathname).toBe('https://gate.example/user/reset')
    expect(link.searchParams.get('email')).toBe('anna@example.org')
    const body = { email: 'Anna@example.org', token }
    const { data: password } = await app.visitor.call(resetPassword, { body })
    expect(password).toMatch(/^[A-Za-z0-9]{16}$/)
    expect((await anna.call(getSelf)).status).toBe(401)
    const signIn = (wanted: string) =>
      app.visitor.call(login, { body: { username: 'anna', password: wanted } })
    expect((await signIn(PASSWORD)).code).toBe('session.wrong')
    expect((await signIn(password)).success).toBe(true)
    expect((await app.visitor.call(resetPassword, { body })).code).toBe('verification.wrong_link')
  })

  test('of four uses of a link at once, one succeeds', async () => {
    await addAnna()
    const body = { email: 'anna@example.org', token: await mailedToken() }
    const answers = await Promise.all([1, 2, 3, 4].map(() => app.visitor.call(resetPassword, { body })))
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
  })

  test('is answered alike whether or not the address has an account', async () => {
    await addAnna()
    const answers = [await askReset('anna@example.org'), await askReset('nobody@example.org')]
    expect(answers[0]?.envelope).toEqual(answers[1]?.envelope ?? {})
    const hasty = [await askReset('anna@example.org'), await askReset('nobody@example.org')]
    expect(hasty.map(({ status }) => status)).toEqual([429, 429])
    await post.next()
    expect(post.mails).toHaveLength(1)
  })

  test('is refused for a wrong, old or foreign token and for a banned account', async () => {
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

  test('a code that proves an address is no token for a password', async () => {
    await addAnna()
    await ask('anna@example.org')
    await app.db.updateTable('users').set({ email: EMAIL }).where('id', '=', app.root.id).execute()
    const code = await mailedCode('carl@example.org')
    const body = { email: 'carl@example.org', token: code }
    expect((await app.visitor.call(resetPassword, { body })).code).toBe('verification.wrong_link')
  })

  test('needs the server address and a mail server', async () => {
    await options({ ServerAddress: '' })
    expect((await askReset()).code).toBe('verification.no_server_address')
    await options({ ServerAddress: 'https://gate.example', SMTPServer: '' })
    expect((await askReset()).code).toBe('mail.not_configured')
  })
})

test('the super administrator tries the mail settings and is told what the server said', async () => {
  const body = { email: 'root@example.org' }
  expect((await app.root.call(sendTestMail, { body })).success).toBe(true)
  expect(post.mails[0]).toMatchObject({
    to: ['root@example.org'],
    subject: '我的网关: a mail to try the settings',
  })
  await options({ SMTPToken: 'wrong' })
  const refused = await app.root.call(sendTestMail, { body })
  expect(refused).toMatchObject({ success: false, code: 'mail.server_said' })
  expect(refused.message).toContain('535')
})
