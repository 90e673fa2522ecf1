import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { getInvitationCode } from '#contract/accounts/account.ts'
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
import { getSelf } from '#contract/accounts/users.ts'
import { setClock } from '../../core/clock.ts'
import { PROVIDER_ENDPOINTS } from '../../integrations/provider-request.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { send } from '../../relay/upstream/send.ts'
import { type LocalServer, openLocalServer } from '../../testing/local-server.ts'
import { openTestApp, type TestApp } from '../../testing/open-test-app.ts'
import { createTestClient, type TestClient } from '../../testing/test-client.ts'

const BOT_TOKEN = '7:bot-token'
const PERSON = { id: 583231, login: 'octocat', name: 'The Octocat', email: 'Octo@Example.org' }

let party: LocalServer
let app: TestApp
beforeEach(async () => {
  party = openLocalServer()
  Object.assign(party.handlers, {
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
    github: { tokenUrl: `${party.url}/github/token`, userUrl: `${party.url}/github/user` },
    linuxdo: { tokenUrl: `${party.url}/linuxdo/token`, userUrl: `${party.url}/linuxdo/user` },
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
    WeChatServerAddress: party.url,
    WeChatServerToken: 'wx-token',
    WeChatAuthEnabled: 'true',
    TelegramBotToken: BOT_TOKEN,
    TelegramOAuthEnabled: 'true',
  })
})
afterEach(async () => {
  await app.close()
  await party.close()
})

const options = async (values: Readonly<Record<string, string>>) => {
  const body = JSON.stringify(Object.entries(values).map(([key, value]) => ({ key, value })))
  const answer = await app.root.fetch('/api/option/', { method: 'PUT', body })
  expect(await answer.json()).toMatchObject({ success: true })
}

/** A browser that asked for a state, and the state. */
async function begin(client: TestClient = app.visitor, aff?: string) {
  const answer = await client.call(getOauthState, { query: { aff } })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? client.cookie
  return { state: answer.data, browser: createTestClient(app.app, { id: client.id, cookie }) }
}

async function signIn(endpoint: typeof signInWithGithub, code = 'good', client?: TestClient) {
  const { state, browser } = await begin(client)
  return browser.call(endpoint, { query: { code, state } })
}

const github = (code?: string, client?: TestClient) => signIn(signInWithGithub, code, client)
const row = (id: number) =>
  app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const countUsers = async () => (await app.db.selectFrom('users').select('id').execute()).length

/** What Telegram's widget gives for a person, signed with the bot's token. */
function widget(fields: Readonly<Record<string, string | number>> = {}, token = BOT_TOKEN) {
  const given = { id: '99', first_name: 'Ada', auth_date: Math.floor(Date.now() / 1000), ...fields }
  const text = Object.entries(given)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n')
  const key = createHash('sha256').update(token).digest()
  return { ...given, hash: createHmac('sha256', key).update(text).digest('hex') }
}

describe('a sign-in with GitHub', () => {
  test('makes an account for somebody new, without a password, and signs it in', async () => {
    await options({ QuotaForNewUser: '700' })
    const answer = await github()
    expect(answer).toMatchObject({ success: true, message: '' })
    expect(answer.data).toMatchObject({
      username: expect.stringMatching(/^github_[A-Za-z0-9]{5}$/),
      display_name: 'The Octocat',
      email: 'octo@example.org',
      github_id: '583231',
      role: 1,
      quota: 700,
    })
    const id = answer.data?.id ?? 0
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect((await createTestClient(app.app, { id, cookie }).call(getSelf)).data.id).toBe(id)
    expect((await row(id)).password_hash).toBe('')
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('shows the code, the client and its secret to GitHub, and the token only where it belongs', async () => {
    await github()
    const [token, user] = party.requests
    expect(JSON.parse(token?.body ?? '')).toEqual({
      client_id: 'gh-client',
      client_secret: 'gh-secret',
      code: 'good',
    })
    expect(user?.headers.get('authorization')).toBe('Bearer gh-token')
  })

  test('finds the same account again, whatever the login name has become', async () => {
    const first = await github()
    party.handlers['/github/user'] = () => Response.json({ ...PERSON, login: 'renamed' })
    expect((await github()).data?.id).toBe(first.data?.id ?? 0)
  })

  test('replaces a login name that came from elsewhere by the number, but never takes digits for a name', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await app.db.updateTable('users').set({ github_id: 'octocat' }).where('id', '=', anna.id).execute()
    expect((await github()).data).toMatchObject({ id: anna.id, github_id: '583231' })
    party.handlers['/github/user'] = () => Response.json({ ...PERSON, id: 7, login: '583231', email: null })
    expect((await github()).data?.id).not.toBe(anna.id)
  })

  test('leaves an address out that another account has', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await app.db.updateTable('users').set({ email: 'octo@example.org' }).where('id', '=', anna.id).execute()
    expect((await github()).data?.email).toBe('')
  })

  test('honours the invitation code that was given when it began', async () => {
    await options({ QuotaForInvitee: '100', QuotaForInviter: '40' })
    const anna = await app.addUser({ username: 'anna' })
    const { data: code } = await anna.call(getInvitationCode)
    const { state, browser } = await begin(app.visitor, code)
    const { data } = await browser.call(signInWithGithub, { query: { code: 'good', state } })
    expect(data).toMatchObject({ inviter_id: anna.id, quota: 100 })
    expect((await anna.call(getSelf)).data).toMatchObject({ aff_count: 1, aff_quota: 40 })
  })

  test('of eight first sign-ins at once, all end in one account', async () => {
    const begun = await Promise.all(Array.from({ length: 8 }, () => begin()))
    const before = await countUsers()
    const answers = await Promise.all(
      begun.map(({ state, browser }) => browser.call(signInWithGithub, { query: { code: 'good', state } })),
    )
    expect(new Set(answers.map(({ data }) => data?.id)).size).toBe(1)
    expect(await countUsers()).toBe(before + 1)
  })

  test('binds to whoever is signed in, and then signs that account in', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const answer = await github('good', anna)
    expect(answer).toMatchObject({ success: true, message: 'bind' })
    expect(answer.data).toBeUndefined()
    expect((await github()).data?.id).toBe(anna.id)
  })

  test('does not bind what another account has, deregistered ones included', async () => {
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

  test('is refused for a banned account, a wrong code, registration turned off, and when it is turned off', async () => {
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

  test('says so when GitHub cannot be reached, answers nonsense, or declined', async () => {
    party.handlers['/github/user'] = () => new Response('<html>')
    expect((await github()).code).toBe('party.unreachable')
    party.handlers['/github/user'] = () => Response.json({ message: 'Bad credentials' }, { status: 401 })
    expect((await github()).code).toBe('identity.code_wrong')
    const { state, browser } = await begin()
    const query = { state, error: 'access_denied', error_description: 'the user said no' }
    expect(await browser.call(signInWithGithub, { query })).toMatchObject({
      code: 'identity.declined',
      message: 'GitHub declined: the user said no',
    })
    await party.close()
    expect((await github()).code).toBe('party.unreachable')
  })
})

describe('the state of a sign-in', () => {
  const refused = { status: 403, success: false, code: 'oauth.wrong_state' }

  test('must be the one of this session: nothing is asked of the party without it', async () => {
    const { state, browser } = await begin()
    const strangers = await begin()
    for (const [client, query] of [
      [browser, { code: 'good' }],
      [app.visitor, { code: 'good', state }],
      [strangers.browser, { code: 'good', state }],
    ] as const)
      expect(await client.call(signInWithGithub, { query })).toMatchObject(refused)
    expect(party.requests).toEqual([])
  })

  test('is good once', async () => {
    const { state, browser } = await begin()
    const both = await Promise.all(
      [1, 2].map(() => browser.call(signInWithGithub, { query: { code: 'good', state } })),
    )
    expect(both.map(answer => answer.status).sort()).toEqual([200, 403])
  })

  test('is good for ten minutes', async () => {
    const { state, browser } = await begin()
    const restore = setClock({ nowMs: () => Date.now() + 601_000, elapsedMs: () => 0 })
    try {
      expect(await browser.call(signInWithGithub, { query: { code: 'good', state } })).toMatchObject(refused)
    } finally {
      restore()
    }
  })

  test("a visitor's session ends with the sign-in that it was made for, and is no way in by itself", async () => {
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

  test('makes an account, finds it again, and asks as the protocol wants it', async () => {
    const first = await linuxdo()
    expect(first.data).toMatchObject({
      username: expect.stringMatching(/^linuxdo_[A-Za-z0-9]{4}$/),
      display_name: 'Neo',
      linux_do_id: '42',
    })
    expect((await linuxdo()).data?.id).toBe(first.data?.id ?? 0)
    const [token, user] = party.requests
    expect(token?.headers.get('authorization')).toBe(`Basic ${btoa('ld-client:ld-secret')}`)
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'good',
      redirect_uri: 'https://gate.example/oauth/linuxdo',
    })
    expect(user?.headers.get('authorization')).toBe('Bearer ld-token')
  })

  test('binds to whoever is signed in', async () => {
    const anna = await app.addUser({ username: 'anna' })
    expect((await linuxdo('good', anna)).message).toBe('bind')
    expect((await anna.call(getSelf)).data.linux_do_id).toBe('42')
  })

  test('is refused for a wrong code and when it is turned off', async () => {
    expect((await linuxdo('bad')).code).toBe('identity.code_wrong')
    await options({ LinuxDOOAuthEnabled: 'false' })
    expect((await linuxdo()).code).toBe('oauth.off')
  })
})

describe('a sign-in with WeChat', () => {
  const wechat = (code = '0042') => app.visitor.call(signInWithWechat, { query: { code } })

  test('makes an account by the code that the WeChat server knows, and finds it again', async () => {
    const first = await wechat()
    expect(first.data).toMatchObject({
      username: expect.stringMatching(/^wechat_[A-Za-z0-9]{5}$/),
      display_name: 'WeChat User',
      wechat_id: 'o-wechat-id',
    })
    expect((await wechat()).data.id).toBe(first.data.id)
    expect(party.requests[0]?.headers.get('authorization')).toBe('wx-token')
  })

  test.each([bindWechat, bindWechatByPost])('binds by $method, once', async endpoint => {
    const anna = await app.addUser({ username: 'anna' })
    const given = endpoint.method === 'GET' ? { query: { code: '0042' } } : { body: { code: '0042' } }
    expect(await anna.call(endpoint, given)).toMatchObject({ success: true, message: 'bind' })
    expect((await wechat()).data.id).toBe(anna.id)
    const bert = await app.addUser({ username: 'bert' })
    expect((await bert.call(endpoint, given)).code).toBe('oauth.taken')
  })

  test('is refused for a wrong or missing code and when it is turned off', async () => {
    expect((await wechat('9')).code).toBe('identity.code_wrong')
    expect((await wechat('')).code).toBe('invalid_parameter')
    await options({ WeChatAuthEnabled: 'false' })
    expect((await wechat()).code).toBe('oauth.off')
  })
})

describe('a sign-in with Telegram', () => {
  const telegram = (query: Record<string, string | number>) => app.visitor.call(signInWithTelegram, { query })

  test.each([bindTelegram, bindTelegramByPost])('needs a binding first, made by $method', async endpoint => {
    expect((await telegram(widget())).code).toBe('oauth.unbound')
    const anna = await app.addUser({ username: 'anna' })
    const given = endpoint.method === 'GET' ? { query: widget() } : { body: widget() }
    expect(await anna.call(endpoint, given)).toMatchObject({ success: true, message: 'bind' })
    expect((await telegram(widget({ username: 'ada', lang: 'en' }))).data.id).toBe(anna.id)
  })

  test('is refused for a signature that is not of our bot, and for fields that were changed', async () => {
    expect((await telegram(widget({}, '8:other')))?.code).toBe('identity.unsigned')
    expect((await telegram({ ...widget(), id: '100' })).code).toBe('identity.unsigned')
    expect((await telegram({ ...widget(), username: 'added' })).code).toBe('identity.unsigned')
  })

  test('is refused when it is older than five minutes', async () => {
    const auth_date = Math.floor(Date.now() / 1000) - 301
    expect((await telegram(widget({ auth_date }))).code).toBe('identity.stale')
  })

  test('is refused for a banned account and when it is turned off', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await anna.call(bindTelegram, { query: widget() })
    await app.db.updateTable('users').set({ status: 2 }).where('id', '=', anna.id).execute()
    expect((await telegram(widget())).code).toBe('oauth.banned')
    await options({ TelegramOAuthEnabled: 'false' })
    expect((await telegram(widget())).code).toBe('oauth.off')
  })
})

describe('bindings', () => {
  test('can be taken off while a password is left', async () => {
    const anna = await app.addUser({ username: 'anna' })
    await anna.call(bindTelegram, { query: widget() })
    expect((await anna.call(unbind, { body: { binding: 'telegram' } })).success).toBe(true)
    expect((await anna.call(getSelf)).data.telegram_id).toBe('')
    expect((await anna.call(unbind, { body: { binding: 'telegram' } })).code).toBe('oauth.not_bound')
  })

  test('cannot be taken off when nothing else lets their owner in', async () => {
    const { data, headers } = await github()
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const octo = createTestClient(app.app, { id: data?.id ?? 0, cookie })
    expect((await octo.call(unbind, { body: { binding: 'github' } })).code).toBe('oauth.last_way')
    expect((await octo.call(unbind, { body: { binding: 'email' } })).success).toBe(true)
    await octo.call(bindTelegram, { query: widget() })
    expect((await octo.call(unbind, { body: { binding: 'github' } })).success).toBe(true)
  })

  test('are for signed-in users that name themselves in the header', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const nameless = createTestClient(app.app, { id: 0, cookie: anna.cookie })
    expect((await nameless.call(bindTelegram, { query: widget() })).status).toBe(401)
    expect((await nameless.call(bindWechat, { query: { code: '0042' } })).status).toBe(401)
  })
})
