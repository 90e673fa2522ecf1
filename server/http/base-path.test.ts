import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { makeTemporaryFolder } from '../../tests/harness/temporary-folder.ts'
import { readBasePath } from '../core/base-path.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'

const INDEX =
  '<!doctype html><html lang="zh"><link href="/logo.svg"><script type="module" src="/assets/a.js"></script>'
const files = new Map([['/index.html', new TextEncoder().encode(INDEX)]])
const folder = makeTemporaryFolder()
const PROXY = '10.0.0.1'
const OTHER = '203.0.113.9'

let app: TestApp
beforeAll(async () => {
  mkdirSync(folder.path, { recursive: true })
  const page = '<a href="/docs/x">x</a><link href="/logo.svg"><code>/docs/x</code> https://a.b/docs/x'
  writeFileSync(join(folder.path, 'index.html.br'), brotliCompressSync(page))
  writeFileSync(join(folder.path, 'a.js.br'), brotliCompressSync('const base="/docs/"'))
  app = await openTestApp({
    files,
    docsFolder: folder.path,
    parts: {
      basePath: '/gw',
      trustedProxies: [PROXY],
      relay: async (_, { url }) => Response.json({ path: url.pathname + url.search }),
    },
  })
})
afterAll(async () => {
  await app.close()
  folder.remove()
})

const get = (path: string, headers: Record<string, string> = {}, from = OTHER) =>
  app.visitor.fetch(path, { headers, redirect: 'manual' }, from)
const textOf = async (...call: Parameters<typeof get>) => (await get(...call)).text()

test.each([
  ['/gw', '/gw'],
  ['/gw/', '/gw'],
  ['/', ''],
  ['', ''],
  ['/a/b-c_d.e~f', '/a/b-c_d.e~f'],
  ...[
    'gw',
    '/a b',
    '/a"b',
    '/../a',
    '/.a',
    '//a',
    '/a//b',
    '/a?b',
    '/api',
    '/v1/x',
    '/V1beta',
    '/mj-fast',
    '/%2e',
  ].map(text => [text, undefined] as const),
])('reads the base path %p as %p', (text, path) => {
  expect(readBasePath(text)).toBe(path)
})

test.each(['/gw', ''])(
  'serves everything below the base path, which a proxy passes on as %p',
  async prefix => {
    expect(JSON.parse(await textOf(`${prefix}/v1/models?a=1`))).toEqual({ path: '/v1/models?a=1' })
    expect(JSON.parse(await textOf(`${prefix}/api/status`)).success).toBe(true)
    expect(await textOf(`${prefix}/healthz`)).toBe('ok\n')
    const page =
      '<!doctype html><html data-base-path="/gw" lang="zh"><link href="/gw/logo.svg"><script type="module" src="/gw/assets/a.js"></script>'
    for (const path of ['/', '/login', '/oauth/github']) expect(await textOf(prefix + path)).toBe(page)
    expect(await textOf(`${prefix}/docs/`, { 'accept-encoding': 'br' })).toBe(
      '<a href="/gw/docs/x">x</a><link href="/gw/logo.svg"><code>/docs/x</code> https://a.b/docs/x',
    )
    expect(await textOf(`${prefix}/docs/a.js`)).toBe('const base="/gw/docs/"')
    expect((await get(`${prefix}/docs`)).headers.get('location')).toBe('/gw/docs/')
    expect(await textOf(`${prefix}/api/docs`)).toContain('src="/gw/api/docs/swagger-ui.js"')
    expect(JSON.parse(await textOf(`${prefix}/api/openapi.json`)).servers).toEqual([{ url: '/gw' }])
    const navigation = await get(`${prefix}/api/oauth/telegram/login?id=1`, { accept: 'text/html' })
    expect(navigation.headers.get('location')).toBe('/gw/oauth/telegram?id=1')
  },
)

test('the exact base path is the home page, and one that only begins alike is not the base path', async () => {
  expect(await textOf('/gw')).toContain('data-base-path="/gw"')
  expect(await textOf('/gw?aff=1')).toContain('data-base-path="/gw"')
  expect((await get('/gwx/log')).headers.get('content-type')).toContain('text/html')
})

test('cookies belong to the base path, so that other programs of the host do not get them', async () => {
  const response = await app.visitor.fetch('/gw/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: 'a good password' }),
  })
  const paths = response.headers.getSetCookie().map(cookie => /Path=([^;]*)/.exec(cookie)?.[1])
  expect(paths.toSorted()).toEqual(['/gw', '/gw/api/user'])
})

test('a trusted proxy states another base path, and nobody else does', async () => {
  const redirect = async (headers: Record<string, string>, from: string) =>
    (await get('/docs', headers, from)).headers.get('location')
  expect(await redirect({ 'x-forwarded-prefix': '/team/ai/' }, PROXY)).toBe('/team/ai/docs/')
  expect(await redirect({ 'x-forwarded-prefix': '/' }, PROXY)).toBe('/docs/')
  expect(await redirect({ 'x-forwarded-prefix': '"><script>' }, PROXY)).toBe('/gw/docs/')
  expect(await redirect({ 'x-forwarded-prefix': '//evil.example' }, PROXY)).toBe('/gw/docs/')
  expect(await redirect({ 'x-forwarded-prefix': '/team/ai' }, OTHER)).toBe('/gw/docs/')
  expect(JSON.parse(await textOf('/team/ai/v1/models', { 'x-forwarded-prefix': '/team/ai' }, PROXY))).toEqual(
    {
      path: '/v1/models',
    },
  )
})
