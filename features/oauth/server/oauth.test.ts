import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import {
  bindTelegram,
  bindTelegramByPost,
  bindWechat,
  bindWechatByPost,
  getOauthState,
  signInWithGithub,
  signInWithLinuxdo,
  signInWithTelegram,
  signInWithWechat,
  unbind,
} from '#contract/accounts/oauth.ts'
import { getReauthentication } from '#contract/accounts/reauthentication.ts'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { getSelf } from '#contract/entities/user.ts'
import { getInvitationCode } from '#features/account/contract.ts'
import { setClock } from '#server/core/clock.ts'
import { PROVIDER_ENDPOINTS } from '#server/http-client/provider-request.ts'
import { send } from '#server/http-client/send.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createTestClient, type TestClient } from '#server/testing/test-client.ts'

const BOT_TOKEN = '7:bot-token'
const PERSON = { id: 583231, login: 'octocat', name: 'The Octocat', email: 'Octo@Example.org' }

let provider: LocalServer
let app: TestApp
beforeEach(async () => {
  provider = openLocalServer()
  Object.assign(provider.handlers, {
    '/github/token': ({ body }) =>
      Response.json(JSON.parse(body).code === 'good' ? { access_token: 'gh-token' } : { error: 'bad_code' }),
    '/github/user': () => Response.json(PERSON),
    '/linuxdo/token': ({ body }) =>
      new URLSearchParams(body).get('code') === 'good'
        ? Response.json({ access_token: 'ld-token' })
        : Response.json({ error: 'invalid_grant' }, { status: 400 }),
    '/linuxdo/user': () => Response.json({ id: 42, username: 'neo', name: 'Neo', active: true }),
    '/api/wechat/user': ({ url }) =>
      Response.json(
        url.searchParams.get('code') === '0042'
          ? { success: true, message: '', data: 'o-wechat-id' }
          : { success: true, message: '', data: '' },
      ),
  } satisfies LocalServer['handlers'])
  const providerEndpoints = {
    ...PROVIDER_ENDPOINTS,
    github: { tokenUrl: `${provider.url}/github/token`, userUrl: `${provider.url}/github/user` },
    linuxdo: { tokenUrl: `${provider.url}/linuxdo/token`, userUrl: `${provider.url}/linuxdo/user` },
  }
  app = await openTestApp({ parts: { send, providerEndpoints } })
  await options({
    GitHubClientId: 'gh-client',
    GitHubClientSecret: 'gh-secret',
    GitHubOAuthEnabled: 'true',
    LinuxDOClientId: 'ld-client',
    LinuxDOClientSecret: 'ld-secret',
    LinuxDOOAuthEnabled: 'true',
    ServerAddress: 'https://gate.example',
    WeChatServerAddress: provider.url,
    WeChatServerToken: 'wx-token',
    WeChatAuthEnabled: 'true',
    TelegramBotToken: BOT_TOKEN,
    TelegramOAuthEnabled: 'true',
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

/** A browser that has started a sign-in, with its state. */
async function begin(client: TestClient = app.visitor, aff?: string) {
  const response = await client.call(getOauthState, { query: { aff } })
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? client.cookie
  return { state: response.data, browser: createTestClient(app.app, { id: client.id, cookie }) }
}

async function signIn(endpoint: typeof signInWithGithub, code = 'good', client?: TestClient) {
  const { state, browser } = await begin(client)
  return browser.call(endpoint, { query: { code, state } })
}

const github = (code?: string, client?: TestClient) => signIn(signInWithGithub, code, client)
const row = (id: number) =>
  app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const countUsers = async () => (await app.db.selectFrom('users').select('id').execute()).length

/** The fields of Telegram's login widget, signed with the bot's token. */
function widget(fields: Readonly<Record<string, string | number>> = {}, token = BOT_TOKEN) {
  const given = { id: '99', first_name: 'Ada', auth_date: Math.floor(Date.now() / 1000), ...fields }
  const text = Object.entries(given)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n')
  const key = createHash('sha256').update(token).digest()
  return { ...given, hash: createHmac('sha256', key).update(text).digest('hex') }
}

const searchOf = (fields: Readonly<Record<string, string | number>>): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString()

describe('a sign-in with GitHub', () => {
  test('creates an account without a password for a new user and signs it in', async () => {
    await options({ QuotaForNewUser: '700' })
    const response = await github()
    expect(response).toMatchObject({ success: true, message: '' })
    expect(response.data).toMatchObject({
      username: expect.stringMatching(/^github_[A-Za-z0-9]{5}$/),
      display_name: 'The Octocat',
      email: 'octo@example.org',
      github_id: '583231',
      role: 1,
      quota: 700,
    })
    const id = response.data?.id ?? 0
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect((await createTestClient(app.app, { id, cookie }).call(getSelf)).data.id).toBe(id)
    expect((await row(id)).password_hash).toBe('')
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('sends code and client secret to GitHub, and the token only to its user endpoint', async () => {
    await github()
    const [token, user] = provider.requests
    expect(JSON.parse(token?.body ?? '')).toEqual({
      client_id: 'gh-client',
      client_secret: 'gh-secret',
      code: 'good',
    })
    expect(user?.headers.get('authorization')).toBe('Bearer gh-token')
  })

  test('finds the same account after the login name changed', async () => {
    const first = await github()
    provider.handlers['/github/user'] = () => Response.json({ ...PERSON, login: 'renamed' })
    expect((await github()).data?.id).toBe(first.data?.id ?? 0)
  })

  test('replaces an imported login name by the id, but never takes digits for a name', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await app.db.updateTable('users').set({ github_id: 'octocat' }).where('id', '=', anna.id).execute()
    expect((await github()).data).toMatchObject({ id: anna.id, github_id: '583231' })
    provider.handlers['/github/user'] = () =>
      Response.json({ ...PERSON, id: 7, login: '583231', email: null })
    expect((await github()).data?.id).not.toBe(anna.id)
  })

  test('omits an email address that another account has', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await app.db.updateTable('users').set({ email: 'octo@example.org' }).where('id', '=', anna.id).execute()
    expect((await github()).data?.email).toBe('')
  })

  test('credits the invitation code that was given at the start', async () => {
    await options({ QuotaForInvitee: '100', QuotaForInviter: '40' })
    const anna = await app.addUser({ username: 'anna' })
    const { data: code } = await anna.call(getInvitationCode)
    const { state, browser } = await begin(app.visitor, code)
    const { data } = await browser.call(signInWithGithub, { query: { code: 'good', state } })
    expect(data).toMatchObject({ inviter_id: anna.id, quota: 100 })
    expect((await anna.call(getSelf)).data).toMatchObject({ aff_count: 1, aff_quota: 40 })
  })

  test('creates one account in eight concurrent first sign-ins', async () => {
    const started = await Promise.all(Array.from({ length: 8 }, () => begin()))
    const before = await countUsers()
    const responses = await Promise.all(
      started.map(({ state, browser }) => browser.call(signInWithGithub, { query: { code: 'good', state } })),
    )
    expect(new Set(responses.map(({ data }) => data?.id)).size).toBe(1)
    expect(await countUsers()).toBe(before + 1)
  })

  test('binds to the signed-in user, who can then sign in with it', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const response = await github('good', anna)
    expect(response).toMatchObject({ success: true, message: 'bind' })
    expect(response.data).toBeUndefined()
    expect((await github()).data?.id).toBe(anna.id)
  })

  test('proves that the owner is present when the identity is bound already, and nothing else does', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await github('good', anna)
    const restore = setClock({ nowMs: () => Date.now() + 601_000, elapsedMs: () => 0 })
    try {
      const recent = async () => (await anna.call(getReauthentication)).data.is_recent
      provider.handlers['/github/user'] = () => Response.json({ ...PERSON, id: 7, email: null })
      expect((await github('good', anna)).code).toBe('auth.recent_sign_in_required')
      expect([await recent(), (await row(anna.id)).github_id]).toEqual([false, '583231'])
      provider.handlers['/github/user'] = () => Response.json(PERSON)
      expect((await github('good', anna)).message).toBe('bind')
      expect(await recent()).toBe(true)
    } finally {
      restore()
    }
  })

  test.each([bindWechat, bindWechatByPost, bindTelegram, bindTelegramByPost])(
    'is required before $method $path binds a new identity',
    async endpoint => {
      const anna = await app.addUser({ username: 'anna' })
      const restore = setClock({ nowMs: () => Date.now() + 601_000, elapsedMs: () => 0 })
      try {
        const auth_date = Math.floor(Date.now() / 1000) + 601
        const fields = endpoint.path.includes('wechat') ? { code: '0042' } : widget({ auth_date })
        const input = endpoint.method === 'GET' ? { query: fields } : { body: fields }
        expect((await anna.call<AnyEndpoint>(endpoint, input)).code).toBe('auth.recent_sign_in_required')
      } finally {
        restore()
      }
    },
  )

  test('does not bind an identity of another account, deregistered ones included', async () => {
    const { data: owner } = await github()
    const anna = await app.addUser({ username: 'anna' })
    expect(await github('good', anna)).toMatchObject({ success: false, code: 'oauth.taken' })
    await app.db
      .updateTable('users')
      .set({ deleted_at: 1 })
      .where('id', '=', owner?.id ?? 0)
      .execute()
    expect((await github('good', anna)).code).toBe('oauth.taken')
    expect((await github()).code).toBe('oauth.deregistered')
  })

  test('is rejected for banned accounts, wrong codes, and while registration or GitHub is off', async () => {
    expect((await github('bad')).code).toBe('identity.code_wrong')
    await options({ RegisterEnabled: 'false' })
    expect((await github()).code).toBe('oauth.registration_off')
    await options({ RegisterEnabled: 'true' })
    const { data: owner } = await github()
    await app.db
      .updateTable('users')
      .set({ status: 2 })
      .where('id', '=', owner?.id ?? 0)
      .execute()
    expect((await github()).code).toBe('oauth.banned')
    await options({ GitHubOAuthEnabled: 'false' })
    expect((await github()).code).toBe('oauth.off')
  })

  test('reports when GitHub is unreachable, responds unreadably, or declined', async () => {
    provider.handlers['/github/user'] = () => new Response('<html>')
    expect((await github()).code).toBe('party.unreachable')
    provider.handlers['/github/user'] = () => Response.json({ message: 'Bad credentials' }, { status: 401 })
    expect((await github()).code).toBe('identity.code_wrong')
    const { state, browser } = await begin()
    const query = { state, error: 'access_denied', error_description: 'the user said no' }
    expect(await browser.call(signInWithGithub, { query })).toMatchObject({
      code: 'identity.declined',
      message: 'GitHub declined the authorization: the user said no',
    })
    await provider.close()
    expect((await github()).code).toBe('party.unreachable')
  })
})

describe('the state of a sign-in', () => {
  const outcomes = { status: 403, success: false, code: 'oauth.wrong_state' }

  test('must belong to this session, or the provider is not called', async () => {
    const { state, browser } = await begin()
    const strangers = await begin()
    for (const [client, query] of [
      [browser, { code: 'good' }],
      [app.visitor, { code: 'good', state }],
      [strangers.browser, { code: 'good', state }],
    ] as const)
      expect(await client.call(signInWithGithub, { query })).toMatchObject(outcomes)
    expect(provider.requests).toEqual([])
  })

  test('is valid once', async () => {
    const { state, browser } = await begin()
    const both = await Promise.all(
      [1, 2].map(() => browser.call(signInWithGithub, { query: { code: 'good', state } })),
    )
    expect(both.map(response => response.status).sort()).toEqual([200, 403])
  })

  test('is valid for ten minutes', async () => {
    const { state, browser } = await begin()
    const restore = setClock({ nowMs: () => Date.now() + 601_000, elapsedMs: () => 0 })
    try {
      expect(await browser.call(signInWithGithub, { query: { code: 'good', state } })).toMatchObject(outcomes)
    } finally {
      restore()
    }
  })

  test('lives in a session that signs nobody in and ends with the sign-in', async () => {
    const { state, browser } = await begin()
    expect((await createTestClient(app.app, { id: 1, cookie: browser.cookie }).call(getSelf)).status).toBe(
      401,
    )
    await browser.call(signInWithGithub, { query: { code: 'good', state } })
    const sessions = await app.db.selectFrom('sessions').select('user_id').execute()
    expect(sessions.map(session => session.user_id)).not.toContain(null)
  })
})

describe('a sign-in with Linux DO', () => {
  const linuxdo = (code?: string, client?: TestClient) => signIn(signInWithLinuxdo, code, client)

  test('creates an account, finds it again, and follows the protocol', async () => {
    const first = await linuxdo()
    expect(first.data).toMatchObject({
      username: expect.stringMatching(/^linuxdo_[A-Za-z0-9]{4}$/),
      display_name: 'Neo',
      linux_do_id: '42',
    })
    expect((await linuxdo()).data?.id).toBe(first.data?.id ?? 0)
    const [token, user] = provider.requests
    expect(token?.headers.get('authorization')).toBe(`Basic ${btoa('ld-client:ld-secret')}`)
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'good',
      redirect_uri: 'https://gate.example/oauth/linuxdo',
    })
    expect(user?.headers.get('authorization')).toBe('Bearer ld-token')
  })

  test('binds to the signed-in user', async () => {
    const anna = await app.addUser({ username: 'anna' })
    expect((await linuxdo('good', anna)).message).toBe('bind')
    expect((await anna.call(getSelf)).data.linux_do_id).toBe('42')
  })

  test('is rejected for a wrong code and while it is off', async () => {
    expect((await linuxdo('bad')).code).toBe('identity.code_wrong')
    await options({ LinuxDOOAuthEnabled: 'false' })
    expect((await linuxdo()).code).toBe('oauth.off')
  })
})

describe('a sign-in with WeChat', () => {
  const wechat = (code = '0042') => app.visitor.call(signInWithWechat, { query: { code } })

  test('creates an account with a code of the WeChat server and finds it again', async () => {
    const first = await wechat()
    expect(first.data).toMatchObject({
      username: expect.stringMatching(/^wechat_[A-Za-z0-9]{5}$/),
      display_name: 'WeChat User',
      wechat_id: 'o-wechat-id',
    })
    expect((await wechat()).data.id).toBe(first.data.id)
    expect(provider.requests[0]?.headers.get('authorization')).toBe('wx-token')
  })

  test.each([bindWechat, bindWechatByPost])('binds once with $method', async endpoint => {
    const anna = await app.addUser({ username: 'anna' })
    const given = endpoint.method === 'GET' ? { query: { code: '0042' } } : { body: { code: '0042' } }
    expect(await anna.call(endpoint, given)).toMatchObject({ success: true, message: 'bind' })
    expect((await wechat()).data.id).toBe(anna.id)
    const bert = await app.addUser({ username: 'bert' })
    expect((await bert.call(endpoint, given)).code).toBe('oauth.taken')
  })

  test('is rejected for a wrong or missing code and while it is off', async () => {
    expect((await wechat('9')).code).toBe('identity.code_wrong')
    expect((await wechat('')).code).toBe('invalid_parameter')
    await options({ WeChatAuthEnabled: 'false' })
    expect((await wechat()).code).toBe('oauth.off')
  })
})

describe('a sign-in with Telegram', () => {
  const telegram = async (query: Record<string, string | number>) => {
    const { state, browser } = await begin()
    return browser.call(signInWithTelegram, { query: { ...query, state } })
  }

  test.each([bindTelegram, bindTelegramByPost])(
    'requires a binding first, made with $method',
    async endpoint => {
      expect((await telegram(widget())).code).toBe('oauth.unbound')
      const anna = await app.addUser({ username: 'anna' })
      const given = endpoint.method === 'GET' ? { query: widget() } : { body: widget() }
      expect(await anna.call(endpoint, given)).toMatchObject({ success: true, message: 'bind' })
      expect((await telegram(widget({ username: 'ada', lang: 'en' }))).data.id).toBe(anna.id)
    },
  )

  test('must have started in the same browser', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await anna.call(bindTelegram, { query: widget() })
    const { state, browser } = await begin()
    const strangers = await begin()
    for (const [client, query] of [
      [app.visitor, widget()],
      [app.visitor, { ...widget(), state }],
      [strangers.browser, { ...widget(), state }],
      [browser, { ...widget(), state: '' }],
    ] as const) {
      const response = await client.call(signInWithTelegram, { query })
      expect(response).toMatchObject({ status: 403, success: false, code: 'oauth.wrong_state' })
      expect(response.headers.getSetCookie()).toEqual([])
    }
  })

  test.each([
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }, {}, 200],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }, { state: '' }, 403],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }, { state: 'x' }, 403],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' }, {}, 403],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }, {}, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' }, {}, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty' }, {}, 403],
    [{ 'sec-fetch-site': 'none' }, {}, 403],
    [{}, {}, 403],
  ])(
    'without a started sign-in is only for scripts of our own pages: %p %p',
    async (headers, state, status) => {
      const anna = await app.addUser({ username: 'anna' })
      await anna.call(bindTelegram, { query: widget() })
      const path = `${signInWithTelegram.path}?${searchOf({ ...widget(), ...state })}`
      const response = await app.visitor.fetch(path, { headers: { ...headers } })
      expect(response.status).toBe(status)
      expect(response.headers.getSetCookie().length > 0).toBe(status === 200)
    },
  )

  test('does not bind the account of a sign-in that another browser started', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const { state } = await begin()
    const foreign = await anna.call(bindTelegram, { query: { ...widget(), state } })
    expect(foreign).toMatchObject({ status: 403, code: 'oauth.wrong_state' })
    const own = await begin(anna)
    const body = { ...widget(), state: own.state }
    expect((await anna.call(bindTelegramByPost, { body })).message).toBe('bind')
  })

  test('leads a browser that navigates to the binding to the console, and binds nothing', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const search = `?${searchOf(widget())}`
    const headers = { cookie: anna.cookie, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    for (const path of ['/api/oauth/telegram/bind', '/api/oauth/telegram/bind/']) {
      const response = await app.visitor.fetch(path + search, { headers, redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([303, `/oauth/telegram${search}`])
    }
    expect((await anna.call(getSelf)).data.telegram_id).toBe('')
  })

  test('is rejected for a foreign signature and for modified fields', async () => {
    expect((await telegram(widget({}, '8:other')))?.code).toBe('identity.unsigned')
    expect((await telegram({ ...widget(), id: '100' })).code).toBe('identity.unsigned')
    expect((await telegram({ ...widget(), username: 'added' })).code).toBe('identity.unsigned')
  })

  test('is rejected after five minutes', async () => {
    const auth_date = Math.floor(Date.now() / 1000) - 301
    expect((await telegram(widget({ auth_date }))).code).toBe('identity.stale')
  })

  test('is rejected for a banned account and while it is off', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await anna.call(bindTelegram, { query: widget() })
    await app.db.updateTable('users').set({ status: 2 }).where('id', '=', anna.id).execute()
    expect((await telegram(widget())).code).toBe('oauth.banned')
    await options({ TelegramOAuthEnabled: 'false' })
    expect((await telegram(widget())).code).toBe('oauth.off')
  })
})

describe('a sign-in that another site sends a browser to', () => {
  const navigation = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  test.each([
    [signInWithTelegram, '/oauth/telegram'],
    [signInWithWechat, '/login'],
  ])('goes on in the console and signs nobody in: $path', async ({ path }, page) => {
    const search = path.includes('wechat') ? '?code=0042' : `?${searchOf(widget())}`
    const response = await app.visitor.fetch(path + search, { headers: navigation, redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, page + search])
    expect(response.headers.getSetCookie()).toEqual([])
    expect(provider.requests).toEqual([])
  })
})

describe('a provider that lets the browser post its callback', () => {
  const post = (path: string, body: BodyInit) =>
    app.visitor.fetch(path, { method: 'POST', body, redirect: 'manual' })

  test.each(['/oauth/github', '/oauth/linuxdo', '/oauth/company', '/oauth/github/'])(
    'is led to the page of %s with the fields as its query',
    async path => {
      const fields = { code: 'a+b &c', state: '字' }
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      for (const body of [new URLSearchParams(fields), form]) {
        const response = await post(path, body)
        const search = '?code=a%2Bb+%26c&state=%E5%AD%97'
        expect([response.status, response.headers.get('location')]).toEqual([303, search])
        expect(response.headers.getSetCookie()).toEqual([])
      }
    },
  )

  test('and posts anything else is told so', async () => {
    expect((await post('/oauth/github', JSON.stringify({ code: 'a' }))).status).toBe(415)
    expect((await post('/oauth/github', new URLSearchParams({ code: 'x'.repeat(20_000) }))).status).toBe(413)
    const many = new URLSearchParams(Array.from({ length: 21 }, (_, at) => [`a${at}`, '']))
    expect(await (await post('/oauth/github', many)).json()).toMatchObject({ code: 'invalid_parameter' })
    expect((await post('/oauth', new URLSearchParams({ code: 'a' }))).status).toBe(404)
  })
})

describe('bindings', () => {
  test('can be removed while a password remains', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await anna.call(bindTelegram, { query: widget() })
    expect((await anna.call(unbind, { body: { binding: 'telegram' } })).success).toBe(true)
    expect((await anna.call(getSelf)).data.telegram_id).toBe('')
    expect((await anna.call(unbind, { body: { binding: 'telegram' } })).code).toBe('oauth.not_bound')
  })

  test('cannot be removed when no other way to sign in remains', async () => {
    const { data, headers } = await github()
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const octo = createTestClient(app.app, { id: data?.id ?? 0, cookie })
    expect((await octo.call(unbind, { body: { binding: 'github' } })).code).toBe('oauth.last_way')
    expect((await octo.call(unbind, { body: { binding: 'email' } })).success).toBe(true)
    await octo.call(bindTelegram, { query: widget() })
    expect((await octo.call(unbind, { body: { binding: 'github' } })).success).toBe(true)
  })

  test('require a session and the matching user header', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const nameless = createTestClient(app.app, { id: 0, cookie: anna.cookie })
    expect((await nameless.call(bindTelegram, { query: widget() })).status).toBe(401)
    expect((await nameless.call(bindWechat, { query: { code: '0042' } })).status).toBe(401)
  })
})
