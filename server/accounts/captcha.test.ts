import { afterEach, beforeEach, expect, test } from 'bun:test'
import { login } from '#contract/accounts/session.ts'
import { register } from '#features/account/contract.ts'
import { sendReset, sendVerification } from '#features/sign-in/contract.ts'
import { PROVIDER_ENDPOINTS } from '../http-client/provider-request.ts'
import { send } from '../http-client/send.ts'
import { MAIL_ACCOUNT, openLocalMailServer } from '../testing/local-mail-server.ts'
import { type LocalServer, openLocalServer } from '../testing/local-server.ts'
import { LOCALHOST } from '../testing/localhost.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'

const PASSWORD = 'a good password'

let provider: LocalServer
let app: TestApp
beforeEach(async () => {
  provider = openLocalServer()
  provider.handlers['/siteverify'] = ({ body }) =>
    Response.json({ success: new URLSearchParams(body).get('response') === 'a person' })
  const providerEndpoints = {
    ...PROVIDER_ENDPOINTS,
    turnstile: { verifyUrl: `${provider.url}/siteverify` },
    mailCertificateAuthority: LOCALHOST.cert,
  }
  app = await openTestApp({ parts: { send, providerEndpoints } })
  await options({
    TurnstileSiteKey: 'site',
    TurnstileSecretKey: 'secret',
    TurnstileCheckEnabled: 'true',
  })
})
afterEach(async () => {
  await app.close()
  await provider.close()
})

const options = async (values: Readonly<Record<string, string>>) => {
  const body = JSON.stringify(Object.entries(values).map(([key, value]) => ({ key, value })))
  const response = await app.root.fetch('/api/option/', { method: 'PUT', body })
  expect(await response.json()).toMatchObject({ success: true })
}

const calls = {
  'signing in': (turnstile?: string) =>
    app.visitor.call(login, { query: { turnstile }, body: { username: 'root', password: PASSWORD } }),
  registering: (turnstile?: string) =>
    app.visitor.call(register, { query: { turnstile }, body: { username: 'bert', password: PASSWORD } }),
  'asking for a code': (turnstile?: string) =>
    app.visitor.call(sendVerification, { query: { turnstile, email: 'a@example.org' } }),
  'asking for a new password': (turnstile?: string) =>
    app.visitor.call(sendReset, { query: { turnstile, email: 'a@example.org' } }),
}

for (const [name, call] of Object.entries(calls))
  test(`${name} requires a captcha for each call`, async () => {
    expect((await call()).code).toBe('human.missing')
    expect((await call('a robot')).code).toBe('human.failed')
    expect((await call('a person')).code ?? '').not.toStartWith('human.')
    expect((await call()).code).toBe('human.missing')
    const [verified] = provider.requests
    expect(Object.fromEntries(new URLSearchParams(verified?.body))).toEqual({
      secret: 'secret',
      response: 'a robot',
      remoteip: '127.0.0.1',
    })
  })

test('serves the mailed code and the registration that follows with one response', async () => {
  const spent = new Set<string>()
  provider.handlers['/siteverify'] = ({ body }) => {
    const response = new URLSearchParams(body).get('response') ?? ''
    const isFresh = !spent.has(response)
    spent.add(response)
    return Response.json({ success: isFresh, 'error-codes': isFresh ? [] : ['timeout-or-duplicate'] })
  }
  const post = await openLocalMailServer()
  try {
    await options({
      SMTPServer: 'localhost',
      SMTPPort: String(post.port),
      SMTPAccount: MAIL_ACCOUNT.user,
      SMTPToken: MAIL_ACCOUNT.password,
      EmailVerificationEnabled: 'true',
    })
    const turnstile = 'a person'
    await app.visitor.call(sendVerification, { query: { turnstile, email: 'a@example.org' } })
    await post.next()
    const verification_code = /^[A-Z\d]{6}$/m.exec(post.mails[0]?.text ?? '')?.[0] ?? ''
    const join = (body: object) =>
      app.visitor.call(register, {
        query: { turnstile },
        body: { username: 'bert', password: PASSWORD, email: 'a@example.org', verification_code, ...body },
      })
    expect((await join({ verification_code: 'WRONG1' })).code).toBe('account.wrong_code')
    expect((await join({})).success).toBe(true)
    expect((await join({ username: 'carl' })).code).toBe('account.wrong_code')
    expect((await calls['asking for a code'](turnstile)).code).toBe('human.failed')
  } finally {
    await post.close()
  }
})

test('rejects every call while the captcha provider is unreachable', async () => {
  await provider.close()
  expect((await calls['signing in']('a person')).code).toBe('party.unreachable')
})
