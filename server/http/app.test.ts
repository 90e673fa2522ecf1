import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { resetAccessTokenByPost } from '#contract/entities/user.ts'
import { putOptions } from '#contract/options/options.ts'
import { makeTemporaryFolder } from '../../tests/harness/temporary-folder.ts'
import { createLogger, noopLogger } from '../core/logger.ts'
import { openDatabase } from '../db/engine/database.ts'
import { openReaders } from '../db/readers/readers.ts'
import type { ClientConnection } from '../relay/request/client-connection.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'
import { errorEnvelope } from './envelope.ts'

const html = '<!doctype html><script>boot()</script><script type="module" src="/assets/a-1.js"></script>'
const files = new Map(
  Object.entries({
    '/index.html': html,
    '/assets/a-1.js': 'x'.repeat(5000),
    '/favicon.svg': '<svg/>',
    '/sw.js': 'self',
    '/offline.html': '<!doctype html><style>main { color: red }</style><script>retry()</script>',
  }).map(([path, text]) => [path, new TextEncoder().encode(text)] as const),
)

let connections: ClientConnection[]
let logged: string
let app: TestApp
let respondAsRelay: (request: Request, connection: ClientConnection) => Promise<Response>
beforeEach(async () => {
  connections = []
  logged = ''
  respondAsRelay = async () => Response.json({ relayed: true })
  app = await openTestApp({
    files,
    log: createLogger({
      level: 'info',
      isPretty: false,
      write: line => {
        logged += line
      },
    }),
    parts: {
      trustedProxies: ['10.0.0.0/8', '192.0.2.1'],
      relay: (request, connection) => {
        connections.push(connection)
        return respondAsRelay(request, connection)
      },
    },
  })
})
afterEach(() => app.close())

test('finalizes every response, including the response of a request in progress', async () => {
  let isDraining = false
  const slow = Promise.withResolvers<Response>()
  const { app: draining, close } = await openTestApp({
    parts: {
      relay: () => slow.promise,
      finalizeResponse(response) {
        if (isDraining) response.headers.set('connection', 'close')
        return response
      },
    },
  })
  const get = (path: string) => draining.fetch(new Request(`http://t${path}`), { requestIP: () => null })
  expect((await get('/api/status')).headers.get('connection')).toBeNull()
  const pending = get('/v1/models')
  isDraining = true
  slow.resolve(new Response('late'))
  expect((await pending).headers.get('connection')).toBe('close')
  for (const path of ['/api/status', '/healthz', '/nowhere'])
    expect((await get(path)).headers.get('connection')).toBe('close')
  await close()
})

test('counts each relay request once, including one that throws, and no preflight', async () => {
  const counted: (number | 'begun')[] = []
  const { visitor, close } = await openTestApp({
    parts: {
      relay: async ({ url }) => {
        if (url.endsWith('/bug')) throw new Error('bug')
        return Response.json({}, { status: 402 })
      },
      responseCounter: { begin: () => counted.push('begun'), end: status => counted.push(status) },
    },
  })
  await visitor.fetch('/v1/models', { method: 'OPTIONS', headers: { origin: 'https://tool.test' } })
  await visitor.fetch('/api/status')
  expect(counted).toEqual([])
  await visitor.fetch('/v1/models')
  await visitor.fetch('/v1/bug')
  expect(counted).toEqual(['begun', 402, 'begun', 500])
  await close()
})

test('disables the idle timeout while the relay works on a response', async () => {
  const timeouts: string[] = []
  const listener = {
    requestIP: () => null,
    timeout: ({ url }: Request, seconds: number) => void timeouts.push(`${new URL(url).pathname} ${seconds}`),
  }
  let endStream: (() => void) | undefined
  respondAsRelay = async ({ url }, connection) => {
    if (url.endsWith('/refused')) throw new Error('bug')
    connection.disableIdleTimeout()
    if (url.endsWith('/streamed')) endStream = connection.startStreaming()
    return Response.json({})
  }
  for (const path of ['/v1/refused', '/v1/whole', '/mj/streamed', '/api/status', '/healthz'])
    await app.app.fetch(new Request(`http://t${path}`), listener)
  expect(timeouts).toEqual(['/v1/refused 120', '/v1/whole 0', '/v1/whole 120', '/mj/streamed 0'])
  endStream?.()
  expect(timeouts.at(-1)).toBe('/mj/streamed 120')
})

describe('paths outside the console', () => {
  test('an unknown path below /api returns a JSON error, not a page', async () => {
    const response = await app.visitor.fetch('/api/nothing')
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  })

  test('/healthz and /readyz need no authentication', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await app.visitor.fetch(path)).status).toBe(200)
  })

  test.each(['/healthz/', '/readyz/', '/metrics/', '/api/docs/', '/api/openapi.json/'])(
    '%s responds as without the trailing slash',
    async path => {
      const responses = await Promise.all([path, path.slice(0, -1)].map(each => app.root.fetch(each)))
      const [withSlash, without] = responses.map(({ status, headers }) => [
        status,
        headers.get('content-type'),
      ])
      expect(withSlash).toEqual(without)
      expect(responses[1]?.status).toBe(200)
    },
  )

  test.each([
    [{ isReady: false, reason: 'shutting down' }, 503, 'shutting down\n'],
    [{ isReady: true, remark: 'limits are not shared' }, 200, 'ready; limits are not shared\n'],
  ] as const)('/readyz of %j has status %d', async (readiness, status, text) => {
    const { app: other, close } = await openTestApp({ parts: { readiness: async () => readiness } })
    const response = await other.fetch(new Request('http://t/readyz'), { requestIP: () => null })
    expect([response.status, await response.text()]).toEqual([status, text])
    await close()
  })

  test('/metrics is closed to everybody but administrators, this machine included', async () => {
    const anna = await app.addUser({ username: 'anna' })
    for (const address of ['127.0.0.1', '10.0.0.1', '203.0.113.9']) {
      expect((await app.visitor.fetch('/metrics', {}, address)).status).toBe(401)
      const wrong = { headers: { authorization: 'Bearer wrong' } }
      expect((await app.visitor.fetch('/metrics', wrong, address)).status).toBe(401)
      expect(await (await anna.fetch('/metrics', {}, address)).json()).toMatchObject({ success: false })
      expect((await app.root.fetch('/metrics', {}, address)).status).toBe(200)
    }
  })

  test("/metrics takes an administrator's access token, as scrapers send it, and no other", async () => {
    const scrape = async (client: TestClient) => {
      const { data: token } = await client.call(resetAccessTokenByPost)
      return app.visitor.fetch('/metrics', { headers: { authorization: `Bearer ${token}` } }, '203.0.113.9')
    }
    const response = await scrape(app.root)
    expect([response.status, await response.text()]).toEqual([200, 'tollgate_up 1\n'])
    expect(await (await scrape(await app.addUser({ username: 'anna' }))).json()).toMatchObject({
      success: false,
    })
  })

  test('/metrics is open to everybody when an option says so', async () => {
    await app.root.call(putOptions, { body: [{ key: 'MetricsOpenEnabled', value: 'true' }] })
    expect((await app.visitor.fetch('/metrics', {}, '203.0.113.9')).status).toBe(200)
  })

  test.each(['//metrics', '/METRICS', '/%6detrics', '/x/%2e%2e/metrics//', '/./metrics', '\\\\metrics'])(
    '%s follows the rules of /metrics',
    async path => {
      expect((await app.visitor.fetch(path, {}, '203.0.113.9')).status).toBe(401)
    },
  )

  test.each(['//api/user/self', '/API/user/self', '/%61pi/user/self', '//v1/models', '/V1/models'])(
    '%s is no page of the console',
    async path => {
      const response = await app.visitor.fetch(path)
      expect(response.headers.get('content-type')).toMatch(/json/)
    },
  )

  test.each([
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/protocol',
    '/mcp',
    '/scim/v1/Users',
    '/llms.txt',
    '/robots.txt',
    '/.env',
    '/managed/settings',
    '/v1internal:loadCodeAssist',
    '/v3/models',
    '/llms.txt/',
    '/mcp;version=1',
    '/anthropic/v1/models',
    '/gemini/v1beta/files/f1',
    '/anything/v2',
  ])('%s, which agents look for, is a JSON error instead of a page', async path => {
    const response = await app.visitor.fetch(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  })

  test('API responses are compressed for clients that accept gzip', async () => {
    const response = await app.visitor.fetch('/api/openapi.json', { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const text = new TextDecoder().decode(Bun.gunzipSync(await response.arrayBuffer()))
    expect(JSON.parse(text).paths['/api/channel/test/{id}'].get.summary).toBeString()
  })

  test.each(['/api/status', '/api/user/self', '/api/nothing', '/healthz', '/metrics', '/api/openapi.json'])(
    'the response of %s must not be executed, framed, sniffed or cached',
    async path => {
      const { headers } = await app.visitor.fetch(path)
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cache-control')).toBe('no-store')
    },
  )

  test.each(['/v1/models', '/mj/image/x', '/nothing', '/api/status', '/healthz'])(
    'no browser guesses the type of the response of %s',
    async path => {
      expect((await app.visitor.fetch(path)).headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  test('asks browsers to stay with TLS only when the client uses it', async () => {
    const strict = async (address: string) => {
      const secure = { headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' } }
      return (await app.visitor.fetch('/api/status', secure, address)).headers.get(
        'strict-transport-security',
      )
    }
    expect(await strict('10.0.0.1')).toBe('max-age=31536000')
    expect(await strict('203.0.113.1')).toBeNull()
  })

  test('pages have no devices and are out of reach of windows of other sites', async () => {
    const { headers } = await app.visitor.fetch('/api/docs')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups')
    expect(headers.get('permissions-policy')).toContain('microphone=()')
  })

  test('the API reference is a page that loads nothing from other sites', async () => {
    const response = await app.visitor.fetch('/api/docs')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'self'")
    expect(policy).toMatch(/script-src 'self' 'sha256-[^' ]+';/)
    const page = await response.text()
    expect(page).not.toMatch(/(?:src|href)="(?!\/api\/|data:)|https?:\/\//)
    const document = await (await app.visitor.fetch('/api/openapi.json')).json()
    expect(document.paths).toHaveProperty(['/api/channel/fetch_models/{id}', 'get', 'summary'])
  })

  test('every file that the API reference loads is served with its content type', async () => {
    const page = await (await app.visitor.fetch('/api/docs')).text()
    const paths = [...page.matchAll(/(?:src|href)="(\/api\/docs\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(paths).toHaveLength(2)
    for (const path of paths) {
      const file = await app.visitor.fetch(path)
      expect(file.status).toBe(200)
      expect(file.headers.get('content-type')).toMatch(
        path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/,
      )
      expect((await file.text()).length).toBeGreaterThan(100_000)
    }
  })
})

describe('console pages', () => {
  test('every console path returns the page, which browsers must revalidate', async () => {
    for (const path of ['/', '/index.html', '/channel/edit/7']) {
      const response = await app.visitor.fetch(path)
      expect(await response.text()).toBe(html)
      expect(response.headers.get('cache-control')).toBe('no-cache')
    }
  })

  test('the content security policy allows exactly the inline scripts of the built page', async () => {
    const policy = (await app.visitor.fetch('/')).headers.get('content-security-policy')
    const hash = new Bun.CryptoHasher('sha256').update('boot()').digest('base64')
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`)
    expect(policy).toContain("frame-ancestors 'none'")
  })

  test('files have a content security policy too: a page of its own allows its inline parts and nothing else', async () => {
    const policyOf = async (path: string) =>
      (await app.visitor.fetch(path)).headers.get('content-security-policy')
    const hashOf = (text: string) =>
      `'sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}'`
    expect(await policyOf('/offline.html')).toBe(
      [
        "default-src 'none'",
        `script-src ${hashOf('retry()')}`,
        `style-src ${hashOf('main { color: red }')}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    )
    // A service worker makes its requests under the policy of its file.
    for (const path of ['/sw.js', '/favicon.svg'])
      expect(await policyOf(path)).toBe("default-src 'none'; connect-src 'self'; frame-ancestors 'none'")
  })

  test('files that never change have neither a policy nor a request id, since a page loads twenty of them', async () => {
    const { headers } = await app.visitor.fetch('/assets/a-1.js')
    expect([...headers.keys()].filter(name => /policy|request-id/.test(name))).toEqual([])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  test('configured chat pages may be framed if they are https origins', async () => {
    const value = JSON.stringify([
      { a: 'https://chat.example/x?k={key}' },
      { b: 'ama://x' },
      { c: 'https://e.example; script-src *' },
    ])
    await app.root.call(putOptions, { body: { key: 'Chats', value } })
    const policy = (await app.visitor.fetch('/')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-src 'self' https://chat.example https://e.example;")
    expect(policy).not.toContain('script-src *')
  })

  test('forms may be submitted to a payment provider on http only if it is configured', async () => {
    const body = [
      { key: 'ServerAddress', value: 'https://here.example' },
      { key: 'PayAddress', value: 'http://pay.example/submit' },
    ]
    await app.root.call(putOptions, { body })
    const policy = (await app.visitor.fetch('/')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("form-action 'self' https: http://pay.example;")
  })

  test('hashed files are immutable, compressed for clients that accept gzip, and never replaced by the page', async () => {
    const plain = await app.visitor.fetch('/assets/a-1.js')
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const gzipped = await app.visitor.fetch('/assets/a-1.js', { headers: { 'accept-encoding': 'br, gzip' } })
    expect(Bun.gunzipSync(await gzipped.arrayBuffer())).toHaveLength(5000)
    expect((await app.visitor.fetch('/assets/gone.js')).status).toBe(404)
  })
})

describe('relay paths', () => {
  const post = (path: string, init: RequestInit = {}, address?: string) =>
    app.visitor.fetch(path, { method: 'POST', ...init }, address)

  test('the paths of all clients and clouds, /pg and the billing paths reach the relay with the request id of the response', async () => {
    for (const path of [
      '/v1/chat/completions',
      '/v1beta/models/x',
      '/v1alpha/models/x',
      '/v1beta1/publishers/google/models/x',
      '/v2/chat',
      '/openai/deployments/x/chat/completions',
      '/pg/chat/completions',
      '/dashboard/billing/usage',
    ]) {
      const response = await post(path)
      expect(await response.json()).toEqual({ relayed: true })
      expect(response.headers.get('x-oneapi-request-id')).toBe(connections.at(-1)?.requestId ?? '')
    }
    for (const path of ['/v1x/no', '/dashboard/x']) await post(path)
    expect(connections).toHaveLength(8)
  })

  test('any origin may call the API paths, but not the playground', async () => {
    const origin = 'https://tool.example'
    const preflight = await app.visitor.fetch('/v1/chat/completions', {
      method: 'OPTIONS',
      headers: { origin },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(
      (await post('/v1/models', { headers: { origin } })).headers.get('access-control-allow-origin'),
    ).toBe('*')
    expect(
      (await post('/pg/chat/completions', { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull()
    expect(
      (await app.visitor.fetch('/api/status', { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull()
  })

  test('the client address comes from X-Forwarded-For only behind a trusted proxy', async () => {
    const ipOf = async (address: string, forwarded?: string) => {
      await post(
        '/v1/x',
        forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } },
        address,
      )
      return connections.at(-1)?.clientIp()
    }
    expect(await ipOf('203.0.113.5')).toBe('203.0.113.5')
    expect(await ipOf('203.0.113.5', '198.51.100.7')).toBe('203.0.113.5')
    expect(await ipOf('10.1.2.3', '198.51.100.7')).toBe('198.51.100.7')
    expect(await ipOf('::ffff:10.1.2.3', '6.6.6.6, 198.51.100.7, 192.0.2.1')).toBe('198.51.100.7')
    expect(await ipOf('10.1.2.3', 'nonsense')).toBe('unknown')
    expect(await ipOf('10.1.2.3')).toBe('10.1.2.3')
    expect(await ipOf('::ffff:203.0.113.5')).toBe('203.0.113.5')
  })

  test('the session is that of the cookie if the user header matches and the user is enabled', async () => {
    const sessionOf = async (headers: Record<string, string>) => {
      await post('/pg/chat/completions', { headers })
      return connections.at(-1)?.session()
    }
    const user = String(app.root.id)
    const { cookie } = app.root
    expect(await sessionOf({ cookie, 'new-api-user': user })).toEqual({
      id: app.root.id,
      username: 'root',
      role: 100,
      group: 'default',
      walletUnits: 100_000_000,
      isBounded: false,
      sessionHash: expect.any(String),
    })
    expect(await sessionOf({ cookie })).toBeUndefined()
    expect(await sessionOf({ 'new-api-user': user })).toBeUndefined()
    await app.db.updateTable('users').set({ status: 2 }).execute()
    expect(await sessionOf({ cookie, 'new-api-user': user })).toBeUndefined()
  })

  test('an exception in the relay is logged and reported as an internal error', async () => {
    respondAsRelay = async () => {
      throw new Error('secret detail')
    }
    const response = await post('/v1/chat/completions')
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).toContain(response.headers.get('x-oneapi-request-id') ?? 'none')
    expect(text).not.toContain('secret detail')
    expect(logged).toContain('secret detail')
  })

  describe('request bodies', () => {
    const read = async (body: BodyInit, headers: Record<string, string>, bytesMax = 1000) => {
      respondAsRelay = async (_, connection) => {
        try {
          let text = ''
          await connection.readText({ bytesMax, sender: 'test' }, piece => {
            text += piece
          })
          return new Response(text)
        } catch (error) {
          return new Response(error instanceof Error && 'code' in error ? String(error.code) : String(error))
        }
      }
      return (await post('/v1/x', { body, headers })).text()
    }
    const text = '{"a":"字"}'

    test('are read plain and in every common compression', async () => {
      expect(await read(text, {})).toBe(text)
      expect(await read(new Uint8Array(gzipSync(text)), { 'content-encoding': 'gzip' })).toBe(text)
      expect(await read(new Uint8Array(deflateSync(text)), { 'content-encoding': 'deflate' })).toBe(text)
      expect(await read(new Uint8Array(brotliCompressSync(text)), { 'content-encoding': 'br' })).toBe(text)
      expect(await read(new Uint8Array(Bun.zstdCompressSync(text)), { 'content-encoding': 'zstd' })).toBe(
        text,
      )
    })

    test('are limited by declared length, while they are read, and after decompression', async () => {
      const large = 'x'.repeat(2000)
      const streamed = new Response(large).body ?? large
      expect(await read(large, { 'content-length': '2000' })).toBe('body_too_large')
      expect(await read(streamed, {})).toBe('body_too_large')
      expect(await read(new Uint8Array(gzipSync('x'.repeat(1e6))), { 'content-encoding': 'gzip' })).toBe(
        'body_too_large',
      )
    })

    test('that cannot be decompressed are rejected', async () => {
      expect(await read('not gzip', { 'content-encoding': 'gzip' })).toBe('invalid_request')
      expect(await read(text, { 'content-encoding': 'rot13' })).toBe('unsupported_media_type')
    })
  })
})

describe('management calls', () => {
  test('log an unexpected error with the request id and reveal no details', async () => {
    await app.db.schema.alterTable('tokens').renameTo('tokens_elsewhere').execute()
    const response = await app.root.fetch('/api/token/')
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({ success: false, code: 'internal_error' })
    expect(text).not.toContain('tokens')
    expect(logged).toContain(response.headers.get('x-oneapi-request-id') ?? 'none')
  })

  test('say when to try again while the database is lost', async () => {
    const error = Object.assign(new Error('closed'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' })
    const response = errorEnvelope(error, 'en', { log: noopLogger, requestId: 'r' })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await response.json()).toMatchObject({ success: false, code: 'query.lost' })
  })

  test('say when to try again while no further query is admitted', async () => {
    const folder = makeTemporaryFolder()
    const database = openDatabase({ url: join(folder.path, 'tollgate.db'), durability: 'process' })
    const readers = openReaders(database)
    await readers.close()
    const busy = await openTestApp({ parts: { readers } })
    const response = await busy.root.fetch('/api/log/')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.json()).toMatchObject({ success: false, code: 'query.busy' })
    await busy.close()
    await database.close()
    folder.remove()
  })

  test('reject a body that is too large while it is read', async () => {
    const response = await app.root.fetch('/api/token/', {
      method: 'POST',
      body: 'x'.repeat(3 * 1024 * 1024),
    })
    expect(response.status).toBe(413)
  })

  test('set a Secure cookie when the client uses https', async () => {
    const body = JSON.stringify({ username: 'root', password: 'a good password' })
    const signIn = async (headers: Record<string, string>, address: string) =>
      (await app.visitor.fetch('/api/user/login', { method: 'POST', body, headers }, address)).headers.get(
        'set-cookie',
      )
    expect(await signIn({ 'x-forwarded-proto': 'https' }, '10.0.0.1')).toEndWith('; Secure')
    expect(await signIn({ 'x-forwarded-proto': 'https' }, '203.0.113.1')).not.toContain('Secure')
  })
})
