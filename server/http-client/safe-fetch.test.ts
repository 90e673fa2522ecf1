import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { createSafeFetch, type SafeFetchRequest } from './safe-fetch.ts'

/** Addresses of the machine, its network, its cloud, or reserved ranges, in every notation of a URL. */
const LITERALS = [
  'http://127.0.0.1/',
  'http://127.0.0.1./',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0x0.0x0.0x1/',
  'http://0177.0.0.1/',
  'http://0177.0000.0000.0001/',
  'http://017700000001/',
  'http://127.000.000.001/',
  'http://127.255.255.254/',
  'http://%31%32%37.0.0.1/',
  'http://１２７.０.０.１/',
  'http://127。0。0。1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://0/',
  'http://0.0.0.0/',
  'http://0.1.2.3/',
  'http://10.0.0.1/',
  'http://0xa.0.0.1/',
  'http://012.0.0.1/',
  'http://167772161/',
  'http://100.64.0.1/',
  'http://100.127.255.254/',
  'http://100.100.100.200/latest/meta-data/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://0xa9.254.0251.0376/',
  'http://169.254.170.2/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://192.168.0.1/',
  'http://3232235521/',
  'http://198.18.0.1/',
  'http://198.19.255.255/',
  'http://198.51.100.7/',
  'http://203.0.113.7/',
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[0000:0000:0000:0000:0000:0000:0000:0001]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:7f00:1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[100::1]/',
  'http://[2001::1]/',
  'http://[2001:10::1]/',
  'http://[2001:db8::1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a9fe:a9fe::]/',
  'http://[3fff::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[4000::1]/',
  'http://[::8.8.8.8]/',
  'http://[::ffff:0:0]/',
  'http://[64:ff9b::8.8.8.8]/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'http://[2001:2::1]/',
  'http://[2001:20::1]/',
  'http://[2606:4700::5efe:10.0.0.1]/',
  'http://[2606:4700::200:5efe:a00:1]/',
  'http://[2620:4f:8000::1]/',
  'http://[5f00::1]/',
  'http://192.31.196.1/',
  'http://192.52.193.1/',
  'http://192.175.48.1/',
  'http://168.63.129.16/machine?comp=goalstate',
  'http://0xA8.0x3f.33040/',
  'http://10.0.0.1/\t',
  'ht\ntp://10.0.0.1/',
  'http:\\\\10.0.0.1\\',
  'http:10.0.0.1/',
  'http:///10.0.0.1/',
  ' http://10.0.0.1/',
  'http://10.0.0.1#@8.8.8.8/',
  'http://10.0.0.1\\@8.8.8.8/',
  'http://192.168.257/',
  'http://[fe80::1%25eth0]/',
  'http://8.8.8.8%00.example/',
  'http://4294967297/',
]

/** URLs that are refused regardless of the address. */
const DISALLOWED_URLS = [
  'file:///etc/passwd',
  'ftp://8.8.8.8/',
  'gopher://8.8.8.8:70/_x',
  'dict://8.8.8.8:11211/stats',
  'data:text/plain,x',
  'blob:https://8.8.8.8/x',
  'ws://8.8.8.8/',
  'javascript:alert(1)',
  '//8.8.8.8/x',
  '/etc/passwd',
  'http://',
  'http://[::1',
  'http://user@8.8.8.8/',
  'http://user:secret@8.8.8.8/',
  'http://127.0.0.1@8.8.8.8/',
  'http://8.8.8.8:22/',
  'http://8.8.8.8:25/',
  'http://8.8.8.8:0/',
  'http://8.8.8.8:99999/',
  `http://8.8.8.8/${'x'.repeat(9_000)}`,
]

const limits = { bytesMax: 100_000, timeoutMs: 5_000 }
const disallowed = { kind: 'failure', isDisallowed: true }

describe('without allowed addresses', () => {
  const names: Record<string, readonly string[]> = {
    'inside.example': ['10.0.0.5'],
    'half-inside.example': ['8.8.8.8', '127.0.0.1'],
    'half-inside-six.example': ['8.8.8.8', '::1'],
    'mapped.example': ['::ffff:10.0.0.1'],
    'scoped.example': ['fe80::1%eth0'],
    'nobody.example': [],
  }
  const safeFetch = createSafeFetch({
    allowed: [],
    resolve: name => Promise.resolve(names[name] ?? ['127.0.0.1']),
  })

  test.each(LITERALS)('refuses %s', async url => {
    expect(await safeFetch({ url, ...limits })).toMatchObject(disallowed)
  })
  test.each(DISALLOWED_URLS)('refuses the URL %p', async url => {
    expect(await safeFetch({ url, ...limits })).toMatchObject(disallowed)
  })
  test.each([...Object.keys(names), 'localhost', 'localhost.', 'LOCALHOST', '127.0.0.1.nip.example'])(
    'refuses the name %s, which resolves to a private address',
    async name => {
      expect(await safeFetch({ url: `https://${name}/`, ...limits })).toMatchObject(disallowed)
    },
  )
  test('refuses localhost as the system resolves it', async () => {
    const systemFetch = createSafeFetch({ allowed: [] })
    expect(await systemFetch({ url: 'http://localhost/', ...limits })).toMatchObject(disallowed)
  })
  test('names no address in the reason of a failure', async () => {
    const result = await safeFetch({ url: 'http://169.254.169.254/', ...limits })
    expect(result).toMatchObject({ reason: expect.not.stringContaining('169') })
  })
})

describe('with the loopback address allowed', () => {
  let server: Server<undefined>
  const requests: { path: string; headers: Headers; body: string }[] = []
  let resolveCount = 0
  const safeFetch = createSafeFetch({
    allowed: ['127.0.0.1/32'],
    resolve() {
      resolveCount += 1
      return Promise.resolve([resolveCount === 1 ? '127.0.0.1' : '127.0.0.2'])
    },
  })
  const get = (path: string, more: Partial<SafeFetchRequest> = {}) =>
    safeFetch({ url: `http://127.0.0.1:${server.port}${path}`, ...limits, ...more })

  beforeAll(() => {
    server = Bun.serve({ port: 0, hostname: '0.0.0.0', fetch: respond })
  })
  afterAll(() => server.stop(true))

  async function respond(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    requests.push({ path: pathname, headers: request.headers, body: await request.text() })
    const redirectTo = (location: string) => new Response('', { status: 302, headers: { location } })
    switch (pathname) {
      case '/redirect':
        return redirectTo(searchParams.get('to') ?? '')
      case '/loop':
        return redirectTo('/loop')
      case '/endless':
        return new Response(new ReadableStream({ pull: stream => stream.enqueue(new Uint8Array(50_000)) }))
      case '/large':
        return new Response(new Uint8Array(100_001))
      case '/silent':
        return new Promise(() => undefined)
      case '/compressed':
        return new Response(Bun.gzipSync(new Uint8Array(99_999)), { headers: { 'content-encoding': 'gzip' } })
      default:
        return new Response(`at ${pathname}`, { status: 203, headers: { 'content-type': 'text/x-kind' } })
    }
  }

  test('returns status, content type and bytes', async () => {
    const result = await get('/here')
    expect(result).toMatchObject({ kind: 'response', status: 203, contentType: 'text/x-kind' })
    expect(result.kind === 'response' && new TextDecoder().decode(result.bytes)).toBe('at /here')
  })
  test('connects to the address that was checked and resolves the name once', async () => {
    resolveCount = 0
    expect(await safeFetch({ url: `http://name.example:${server.port}/pinned`, ...limits })).toMatchObject({
      kind: 'response',
    })
    expect(requests.at(-1)?.headers.get('host')).toBe(`name.example:${server.port}`)
    expect(resolveCount).toBe(1)
    expect(await safeFetch({ url: `http://name.example:${server.port}/moved`, ...limits })).toMatchObject(
      disallowed,
    )
  })
  test('sends a POST body and does not follow redirects of POST', async () => {
    const posted = { method: 'POST', body: '{"a":1}', headers: { 'x-signature': 's' } } as const
    expect(await get('/hook', posted)).toMatchObject({ status: 203 })
    expect(requests.at(-1)).toMatchObject({ path: '/hook', body: '{"a":1}' })
    expect(requests.at(-1)?.headers.get('x-signature')).toBe('s')
    expect(await get('/redirect?to=/here', posted)).toMatchObject({ kind: 'response', status: 302 })
  })
  test('follows allowed redirects and drops headers for other origins', async () => {
    const other = `http://127.0.0.1:${server.port}/redirect?to=http://name.example:${server.port}/end`
    resolveCount = 0
    expect(
      await get(`/redirect?to=${encodeURIComponent(other)}`, { headers: { 'x-own': '1' } }),
    ).toMatchObject({
      kind: 'response',
      status: 203,
    })
    expect(requests.at(-2)?.headers.get('x-own')).toBe('1')
    expect(requests.at(-1)?.headers.get('x-own')).toBeNull()
  })
  test.each([
    'http://127.0.0.2/',
    'http://169.254.169.254/',
    'http://[::1]/',
    'file:///etc/passwd',
    '//10.0.0.1/x',
    'http://u:p@127.0.0.1/',
  ])('refuses a redirect to %s', async location => {
    expect(await get(`/redirect?to=${encodeURIComponent(location)}`)).toMatchObject(disallowed)
  })
  test('rejects a redirect loop', async () => {
    const before = requests.length
    expect(await get('/loop')).toMatchObject({ kind: 'failure', isDisallowed: false })
    expect(requests.length - before).toBe(4)
  })
  test.each([
    ['/endless', 'larger than'],
    ['/large', 'larger than'],
    ['/compressed', 'compressed'],
  ])('rejects the body of %s, which is %s allowed', async (path, reason) => {
    const failure = { kind: 'failure', isDisallowed: false, reason: { en: expect.stringContaining(reason) } }
    expect(await get(path)).toMatchObject(failure)
  })
  test('fails when the timeout passes', async () => {
    expect(await get('/silent', { timeoutMs: 50 })).toMatchObject({
      kind: 'failure',
      reason: { en: expect.stringContaining('did not respond') },
    })
  })
  test('reports a refused connection without the address', async () => {
    expect(await safeFetch({ url: 'http://127.0.0.1:1025/', ...limits })).toMatchObject({
      kind: 'failure',
      isDisallowed: false,
      reason: { en: 'it could not be reached (ECONNREFUSED)' },
    })
  })
})
