import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type LocalServer, openLocalServer } from '../testing/local-server.ts'
import { createSafeFetch, createTargetCheck, type FetchWorker } from './safe-fetch.ts'
import { send } from './send.ts'
import { createWorkerFetch } from './worker-fetch.ts'

const IMAGE_URL = 'http://203.0.113.9/picture.png'
const LIMITS = { bytesMax: 1000, timeoutMs: 2000 }

let server: LocalServer
let worker: FetchWorker | undefined
beforeEach(() => {
  server = openLocalServer()
  worker = { url: `${server.url}/worker`, key: 'worker-key' }
})
afterEach(() => server.close())

const options = { allowed: ['127.0.0.1', '203.0.113.9'] }
const fetchThrough = createWorkerFetch({
  worker: () => worker,
  safeFetch: createSafeFetch(options),
  checkTarget: createTargetCheck(options),
  send,
})

test('has the worker fetch, and returns its response', async () => {
  server.handlers['/worker'] = () => new Response('picture', { headers: { 'content-type': 'image/png' } })
  const result = await fetchThrough({ url: IMAGE_URL, headers: { accept: 'image/*' }, ...LIMITS })
  expect(result).toEqual({
    kind: 'response',
    status: 200,
    contentType: 'image/png',
    bytes: expect.any(Uint8Array),
  })
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    url: IMAGE_URL,
    key: 'worker-key',
    method: 'GET',
    headers: { accept: 'image/*' },
  })
})

test('fetches by itself without a worker, and when something is posted', async () => {
  server.handlers['/direct'] = () => new Response('direct')
  const url = `${server.url}/direct`
  await fetchThrough({ url, method: 'POST', body: 'x', ...LIMITS })
  worker = undefined
  await fetchThrough({ url, ...LIMITS })
  expect(server.requests.map(request => `${request.method} ${request.url.pathname}`)).toEqual([
    'POST /direct',
    'GET /direct',
  ])
})

test.each([
  'http://10.0.0.1/x',
  'http://169.254.169.254/',
  'file:///etc/passwd',
  'http://localhost.invalid/',
])('asks the worker for nothing that the gateway may not fetch: %s', async url => {
  expect(await fetchThrough({ url, ...LIMITS })).toMatchObject({ kind: 'failure' })
  expect(server.requests).toEqual([])
})

test('reports a worker that fails, is slow, or returns too much', async () => {
  server.handlers['/worker'] = () => new Response('x'.repeat(1001))
  expect(await fetchThrough({ url: IMAGE_URL, ...LIMITS })).toMatchObject({
    reason: { en: expect.stringContaining('larger') },
  })
  server.handlers['/worker'] = () => Bun.sleep(400).then(() => new Response('late'))
  expect(await fetchThrough({ url: IMAGE_URL, ...LIMITS, timeoutMs: 100 })).toMatchObject({
    reason: { en: expect.stringContaining('did not respond') },
  })
  worker = { url: 'http://127.0.0.1:1/', key: '' }
  expect(await fetchThrough({ url: IMAGE_URL, ...LIMITS })).toMatchObject({
    reason: { en: expect.stringContaining('failed') },
  })
})
