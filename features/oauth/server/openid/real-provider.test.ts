import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import Provider from 'oidc-provider'
import { send } from '#server/http-client/send.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createTestClient } from '#server/testing/test-client.ts'
import {
  createOpenIdProvider,
  finishOpenIdSignIn,
  OPENID_PATHS,
  startOpenIdSignIn,
} from '../../contract/openid.ts'

const SLUG = 'company'
const SECRET = 'a-client-secret-of-the-provider'
const HOPS_MAX = 12

let gateway: LocalServer
let server: Server
let issuer: string
let app: TestApp

/** A certified implementation: what it issues is what providers issue. */
beforeAll(async () => {
  gateway = openLocalServer()
  app = await openTestApp({ parts: { send } })
  gateway.handlers[OPENID_PATHS.backchannel] = ({ body, headers }) =>
    app.visitor.fetch(OPENID_PATHS.backchannel, {
      method: 'POST',
      headers: { 'content-type': headers.get('content-type') ?? '' },
      body,
    })
  server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const respond = createProvider(issuer, gateway.url).callback()
  await app.root.fetch('/api/option/', {
    method: 'PUT',
    body: JSON.stringify({ key: 'ServerAddress', value: gateway.url }),
  })
  const created = await app.root.call(createOpenIdProvider, {
    body: {
      slug: SLUG,
      name: 'Company',
      issuer,
      client_id: 'tollgate',
      client_secret: SECRET,
      is_enabled: true,
      scopes: 'openid profile email groups',
      provisioning: 'everyone',
      required_groups: ['employees'],
      rules: [{ value: 'employees', role: 'admin', group: 'vip' }],
      signs_out: true,
    },
  })
  expect(created).toMatchObject({ success: true, message: '' })
})

afterAll(async () => {
  await new Promise(resolve => server.close(resolve))
  await app.close()
  await gateway.close()
})

const createProvider = (url: string, gatewayUrl: string): Provider =>
  new Provider(url, {
    clients: [
      {
        client_id: 'tollgate',
        client_secret: SECRET,
        redirect_uris: [`${gatewayUrl}/oauth/${SLUG}`],
        post_logout_redirect_uris: [`${gatewayUrl}/login`],
        backchannel_logout_uri: gatewayUrl + OPENID_PATHS.backchannel,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: `${id} example`,
        email: `${id}@example.com`,
        email_verified: true,
        groups: id === 'guest' ? [] : ['employees'],
      }),
    }),
  })

/** A browser at the provider: it keeps cookies, follows redirects and submits the provider's own forms. */
function openBrowser() {
  const cookies = new Map<string, string>()
  const visit = async (url: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return response
  }
  /** Where a page leads to: redirects are followed, forms submitted. */
  const next = async (url: string, name: string): Promise<string> => {
    const isForm = new URL(url).pathname.startsWith('/interaction/')
    if (!isForm) return (await visit(url)).headers.get('location') ?? ''
    const page = await (await visit(url)).text()
    const prompt = page.includes('value="login"') ? 'login' : 'consent'
    return (await visit(url, { prompt, login: name, password: 'any' })).headers.get('location') ?? ''
  }
  return {
    visit,
    /** Goes on until a redirect leads to the gateway. */
    async leave(first: string, name: string): Promise<URL> {
      let url = new URL(first)
      for (let hop = 0; hop < HOPS_MAX && url.origin !== gateway.url; hop += 1)
        url = new URL(await next(url.href, name), url)
      return url
    },
  }
}

async function signIn(name: string) {
  const { data, headers } = await app.visitor.call(startOpenIdSignIn, { params: { slug: SLUG }, body: {} })
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const browser = openBrowser()
  const callback = await browser.leave(data.url, name)
  const response = await createTestClient(app.app, { id: 0, cookie }).call(finishOpenIdSignIn, {
    params: { slug: SLUG },
    body: { params: Object.fromEntries(callback.searchParams) },
  })
  return { response, browser }
}

test('signs in, follows the groups, and ends both sessions when one of them signs out', async () => {
  const { response, browser } = await signIn('ann')
  expect(response).toMatchObject({ success: true, message: '' })
  const { user, sign_out_url = '' } = response.data
  expect(user).toMatchObject({ username: 'ann', email: 'ann@example.com', role: 10, group: 'vip' })
  const sessions = () =>
    app.db
      .selectFrom('sessions')
      .select('id_hash')
      .where('user_id', '=', user?.id ?? 0)
      .execute()
  expect(await sessions()).toHaveLength(1)

  const { pathname, search } = new URL(sign_out_url)
  const end = (await app.visitor.fetch(pathname + search)).headers.get('location') ?? ''
  const page = await (await browser.visit(end)).text()
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const left = await browser.visit(`${issuer}/session/end/confirm`, { xsrf, logout: 'yes' })
  expect(left.headers.get('location')).toBe(`${gateway.url}/login`)
  expect(await sessions()).toHaveLength(0)
})

test('keeps out who is in none of the groups', async () => {
  const { response } = await signIn('guest')
  expect(response.code).toBe('openid.groups')
})
