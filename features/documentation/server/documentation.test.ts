import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'

const PAGE = '<html><script>theme()</script></html>'
const HASH = 'sha256-abc='

const folder = makeTemporaryFolder()
let app: TestApp
beforeAll(async () => {
  const files = {
    'index.html': PAGE,
    '404.html': 'no such page',
    'guides/start.html': PAGE,
    'guides/start.md': '# Start',
    'clients/index.html': PAGE,
    'assets/app.1.js': 'app()',
    'script-hashes.json': JSON.stringify([HASH]),
    '.hidden/notes.txt': 'hidden',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder.path, 'site', name, '..'), { recursive: true })
    writeFileSync(join(folder.path, 'site', `${name}.br`), brotliCompressSync(text))
  }
  writeFileSync(join(folder.path, 'site', 'image.png'), 'png')
  writeFileSync(join(folder.path, 'secret.txt'), 'secret')
  app = await openTestApp({ docsFolder: join(folder.path, 'site') })
})
afterAll(async () => {
  await app.close()
  folder.remove()
})

const get = (path: string, headers = {}) => app.visitor.fetch(path, { headers })

test.each([
  ['/docs/', PAGE],
  ['/docs/guides/start', PAGE],
  ['/docs/guides/start/', PAGE],
  ['/docs/guides/start.html', PAGE],
  ['/docs/clients', PAGE],
  ['/docs/clients/', PAGE],
  ['/docs/guides/start.md', '# Start'],
  ['/docs/image.png', 'png'],
])('%s is served', async (path, text) => {
  const response = await get(path)
  expect([response.status, await response.text()]).toEqual([200, text])
})

test('/docs leads to the address that relative links need', async () => {
  const response = await app.visitor.fetch('/docs', { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([308, '/docs/'])
})

test('texts are sent compressed to clients that accept it, and plain to others', async () => {
  const compressed = await get('/docs/guides/start.md', { 'accept-encoding': 'gzip, br' })
  expect(compressed.headers.get('content-encoding')).toBe('br')
  const plain = await get('/docs/guides/start.md', { 'accept-encoding': 'gzip' })
  expect(plain.headers.get('content-encoding')).toBeNull()
  for (const { headers } of [compressed, plain]) expect(headers.get('vary')).toBe('Accept-Encoding')
})

test('only the scripts of the site run in its pages, and no site may frame them', async () => {
  const { headers } = await get('/docs/')
  const policy = headers.get('content-security-policy')
  expect(policy).toContain(`script-src 'self' '${HASH}';`)
  expect(policy).toContain("frame-ancestors 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('files with a hash in their names are kept, and all others are revalidated', async () => {
  const cachingOf = async (path: string) => (await get(path)).headers.get('cache-control')
  expect(await cachingOf('/docs/assets/app.1.js')).toBe('public, max-age=31536000, immutable')
  expect(await cachingOf('/docs/')).toBe('no-cache')
})

test.each([
  '/docs/..%2fsecret.txt',
  '/docs/%2e%2e/secret.txt',
  '/docs/..\\secret.txt',
  '/docs//secret.txt',
  '/docs/.hidden',
  '/DOCS/x.txt',
])('%s does not leave the site', async path => {
  const response = await get(path)
  expect(response.status).not.toBe(200)
  expect(await response.text()).not.toBe('secret')
})

test('a page that does not exist is the page of the site for that', async () => {
  const response = await get('/docs/guides/nothing')
  expect([response.status, await response.text()]).toEqual([404, 'no such page'])
})

test('a site that is not built yet is 503, and says so', async () => {
  const other = await openTestApp({ docsFolder: join(folder.path, 'nowhere') })
  const response = await other.visitor.fetch('/docs/')
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('not built yet')
  await other.close()
})

test('a path with a name that begins with a dot is not served', async () => {
  expect((await get('/docs/.hidden/notes.txt')).status).toBe(404)
})
