import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { isRelayPath } from '#server/http/relay-handler.ts'
import { PROJECT } from '../harness/program.ts'
import { loadScreens } from '../harness/screens.ts'

const SOURCE = readFileSync(join(PROJECT, 'console/public/sw.js'), 'utf8')
const OWN_PAGE = 'the page of the installation'

interface FetchEvent {
  readonly request: { readonly mode: string; readonly url: string }
  respondWith(response: Promise<Response>): void
}

/** Lets the service worker handle a request; undefined when it leaves the request to the browser. */
async function handle(path: string, network: () => Promise<Response>, mode = 'navigate') {
  const handlers = new Map<string, (event: FetchEvent) => void>()
  const worker = {
    location: { origin: 'http://gateway', href: 'http://gateway/sw.js' },
    addEventListener: (name: string, handler: (event: FetchEvent) => void) => handlers.set(name, handler),
  }
  const caches = { match: async () => new Response(OWN_PAGE) }
  new Function('self', 'caches', 'fetch', SOURCE)(worker, caches, network)
  let response: Promise<Response> | undefined
  handlers.get('fetch')?.({
    request: { mode, url: `http://gateway${path}` },
    respondWith: given => {
      response = given
    },
  })
  return (await response)?.text()
}

const unreachable = () => Promise.reject(new TypeError('Failed to fetch'))
const respondingWith = (status: number, type: string) => async () =>
  new Response('the page of the proxy', { status, headers: { 'content-type': type } })

async function consolePaths(): Promise<readonly string[]> {
  const screens = await loadScreens()
  return screens.flatMap(screen => [screen.path, ...(screen.below ?? []), ...(screen.aliases ?? [])])
}

async function apiPaths(): Promise<readonly string[]> {
  const files = ['contract/**/*.ts', 'features/*/contract.ts', 'features/*/contract/**/*.ts']
    .flatMap(pattern => [...new Glob(pattern).scanSync(PROJECT)])
    .filter(file => !file.includes('.test.'))
  const modules = await Promise.all(files.map(file => import(join(PROJECT, file))))
  const isEndpoint = (value: unknown): value is AnyEndpoint =>
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value
  return modules
    .flatMap(module => Object.values(module))
    .filter(isEndpoint)
    .map(({ path }) => path)
}

test('shows the page of the installation for every console path when the gateway cannot be reached', async () => {
  const paths = await consolePaths()
  expect(paths).toContain('/token')
  for (const path of [...paths, '/no/such/page', '/apis', '/oauth/github?code=1'])
    expect([path, await handle(path, unreachable)]).toEqual([path, OWN_PAGE])
})

test('leaves the paths of the APIs and files to the browser', async () => {
  const relayPaths = [
    '/v1/models',
    '/v1beta/models',
    '/pg/chat/completions',
    '/rerank',
    '/dashboard/billing/usage',
    '/mj/image/x',
    '/mj-fast/mj/task/1/fetch',
    '/suno/fetch/1',
  ]
  expect(relayPaths.filter(path => !isRelayPath(path))).toEqual([])
  const files = ['/assets/none.js', '/logo.svg', '/offline.html', '/sw.js']
  const others = ['/healthz', '/readyz', '/metrics', '/lab/v1', '/API/status', '//v1/models']
  // Forms are posted to two paths of pages.
  const paths = (await apiPaths()).filter(path => path.startsWith('/api/'))
  expect(paths).toContain('/api/log/export')
  for (const path of [...paths, ...relayPaths, ...files, ...others])
    expect([path, await handle(path, unreachable)]).toEqual([path, undefined])
})

test('leaves everything but navigations to the browser', async () => {
  expect(await handle('/token', unreachable, 'cors')).toBeUndefined()
})

test.each([502, 503, 504])('replaces the page of a proxy with status %d', async status => {
  expect(await handle('/token', respondingWith(status, 'text/html; charset=utf-8'))).toBe(OWN_PAGE)
})

test('passes on other responses to navigations', async () => {
  expect(await handle('/token', respondingWith(200, 'text/html'))).toBe('the page of the proxy')
  expect(await handle('/token', respondingWith(500, 'text/html'))).toBe('the page of the proxy')
  expect(await handle('/token', respondingWith(503, 'text/plain'))).toBe('the page of the proxy')
})
