import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createSecrets } from '#server/core/crypto.ts'
import { MIB } from '#server/core/limits.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { checkPublicUrl } from './check-public-url.ts'
import { createTicket, ECHO_PATH } from './echo.ts'

let app: TestApp
let gateway: Bun.Server<undefined>
const proxies: Bun.Server<undefined>[] = []
beforeAll(async () => {
  app = await openTestApp({ parts: { trustedProxies: ['127.0.0.0/8'] } })
  gateway = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, server) => app.app.fetch(request, { requestIP: () => server.requestIP(request) }),
  })
})
afterAll(async () => {
  await Promise.all(proxies.map(proxy => proxy.stop(true)))
  await gateway.stop(true)
  await app.close()
})

interface Fault {
  readonly request?: (headers: Headers) => void
  readonly response?: (response: Response) => Promise<Response> | Response
  readonly bodyBytesMax?: number
}

/** A proxy of the test, which states the address of its client, with one fault. */
function startProxy({
  request = () => undefined,
  response = found => found,
  bodyBytesMax,
}: Fault = {}): string {
  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(call) {
      const { pathname, host } = new URL(call.url)
      const headers = new Headers(call.headers)
      headers.set('x-forwarded-for', '198.51.100.7')
      headers.set('host', host)
      headers.delete('accept-encoding')
      request(headers)
      const body = await call.bytes()
      if (body.length > (bodyBytesMax ?? body.length)) return new Response('too large', { status: 413 })
      const url = gateway.url.origin + pathname
      return response(await fetch(url, { method: call.method, headers, ...(body.length > 0 && { body }) }))
    },
  })
  proxies.push(proxy)
  return proxy.url.origin
}

/** The checks that find something, with a smaller body than that of the command. */
async function problemsAt(url: string, bodyBytes = 4 * MIB): Promise<Readonly<Record<string, string>>> {
  const results = await checkPublicUrl(url, app.secrets, bodyBytes)
  return Object.fromEntries(
    results.filter(({ status }) => status !== 'ok').map(({ check, status }) => [check, status]),
  )
}

const buffered = async (found: Response): Promise<Response> =>
  new Response(await found.bytes(), { status: found.status, headers: found.headers })

test('finds nothing wrong with a proxy that does what it should', async () => {
  expect(await problemsAt(`${startProxy()}/`, 32 * MIB)).toEqual({})
})

/** Each check waits a second for a stream. */
test.concurrent.each<readonly [string, Fault, Readonly<Record<string, string>>]>([
  ['holds streams back', { response: buffered }, { stream: 'fail' }],
  [
    'states no address that can be read',
    { request: headers => headers.set('x-forwarded-for', 'x') },
    { address: 'fail' },
  ],
  [
    'passes the address that clients state',
    { request: headers => headers.set('x-forwarded-for', '192.0.2.1') },
    { address: 'fail' },
  ],
  ['changes the host', { request: headers => headers.set('host', 'other.example') }, { origin: 'fail' }],
  ['drops upgrades', { request: headers => headers.delete('upgrade') }, { socket: 'warn' }],
  ['closes connections', { request: headers => headers.set('connection', 'close') }, { connection: 'warn' }],
  ['limits bodies to 3 MiB', { bodyBytesMax: 3 * MIB }, { body: 'warn' }],
  ['limits bodies to 1 MiB', { bodyBytesMax: MIB }, { body: 'fail' }],
  ['responds itself', { response: () => new Response('hello') }, { url: 'fail' }],
  ['moves callers', { response: () => Response.redirect('https://other.example/') }, { url: 'fail' }],
])('names a proxy that %s', async (_, fault, problems) => {
  expect(await problemsAt(startProxy(fault))).toEqual(problems)
})

test('names a path that the gateway does not know', async () => {
  const below = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: call => fetch(gateway.url.origin + new URL(call.url).pathname.replace('/gw', ''), call),
  })
  proxies.push(below)
  expect(await problemsAt(`${below.url.origin}/gw`)).toMatchObject({ path: 'fail' })
})

test.each(['nonsense', 'ftp://a.example', 'http://127.0.0.1:9/'])(
  '%s is no address of a gateway',
  async url => {
    expect(await problemsAt(url)).toEqual({ url: 'fail' })
  },
)

test('only a program with the secret key learns anything', async () => {
  const statusWith = async (authorization: string) =>
    (await fetch(gateway.url.origin + ECHO_PATH, { headers: { authorization } })).status
  expect(await statusWith(createTicket(app.secrets))).toBe(200)
  const [time = ''] = createTicket(app.secrets).split('.')
  for (const ticket of [
    '',
    'Bearer x',
    `${time}.${'0'.repeat(64)}`,
    createTicket(createSecrets('another secret key')),
  ])
    expect(await statusWith(ticket)).toBe(404)
})
