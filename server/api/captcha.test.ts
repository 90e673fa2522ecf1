import { afterEach, beforeEach, expect, test } from 'bun:test'
import { register } from '#contract/accounts/account.ts'
import { login } from '#contract/accounts/session.ts'
import { sendReset, sendVerification } from '#contract/accounts/verification.ts'
import { PROVIDER_ENDPOINTS } from '../integrations/provider-request.ts'
import { send } from '../relay/upstream/send.ts'
import { type LocalServer, openLocalServer } from '../testing/local-server.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'

const PASSWORD = 'a good password'

let provider: LocalServer
let app: TestApp
beforeEach(async () => {
  provider = openLocalServer()
  provider.handlers['/siteverify'] = ({ body }) =>
    Response.json({ success: new URLSearchParams(body).get('response') === 'a person' })
  const providerEndpoints = { ...PROVIDER_ENDPOINTS, turnstile: { verifyUrl: `${provider.url}/siteverify` } }
  app = await openTestApp({ parts: { send, providerEndpoints } })
  const body = JSON.stringify(
    Object.entries({
      TurnstileSiteKey: 'site',
      TurnstileSecretKey: 'secret',
      TurnstileCheckEnabled: 'true',
    }).map(([key, value]) => ({ key, value })),
  )
  await app.root.fetch('/api/option/', { method: 'PUT', body })
})
afterEach(async () => {
  await app.close()
  await provider.close()
})

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

test('rejects every call while the captcha provider is unreachable', async () => {
  await provider.close()
  expect((await calls['signing in']('a person')).code).toBe('party.unreachable')
})
