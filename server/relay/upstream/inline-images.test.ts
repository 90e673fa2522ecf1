import { afterEach, expect, test } from 'bun:test'
import { MIB } from '../../core/limits.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const OLLAMA = 4

let relay: TestRelay | undefined
const requests: Request[] = []
let imageRequests = 0
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    imageRequests += 1
    const { pathname } = new URL(request.url)
    if (pathname === '/page')
      return new Response('<!doctype html>', { headers: { 'content-type': 'image/png' } })
    if (pathname.startsWith('/large')) return new Response(Buffer.concat([PNG, Buffer.alloc(5 * MIB)]))
    return pathname === '/gone' ? new Response('', { status: 404 }) : new Response(PNG)
  },
})

afterEach(async () => {
  await relay?.close()
  requests.length = 0
  imageRequests = 0
})

async function requestWithImages(
  urls: readonly string[],
  types: readonly number[] = [OLLAMA],
): Promise<Response> {
  relay = await TestRelay.open({
    options: { RetryTimes: 3 },
    send: sendThrough(async request => {
      requests.push(request.clone())
      if (requests.length < types.length) return new Response('{}', { status: 500 })
      return Response.json({ message: { content: 'a dot' }, done: true, done_reason: 'stop' })
    }),
  })
  for (const type of types) await relay.addChannel({ type })
  const content = urls.map(url => ({ type: 'image_url', image_url: { url } }))
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'what is it?' }, ...content] }]
  return relay.request('/v1/chat/completions', await relay.addToken(), { model: 'lab', messages })
}

const imageUrl = (path: string): string => `http://127.0.0.1:${host.port}${path}`

test('rejects images that are too large together', async () => {
  const links = Array.from({ length: 16 }, (_, at) => imageUrl(`/large/${at}.png`))
  expect((await requestWithImages(links)).status).toBe(400)
  expect((await requestWithImages(links.slice(0, 4))).status).toBe(200)
})

test('fetches a linked image once and inlines it for a provider that does not fetch images', async () => {
  expect((await requestWithImages([imageUrl('/a.png'), imageUrl('/a.png')], [OLLAMA, OLLAMA])).status).toBe(
    200,
  )
  const images = [PNG.toString('base64'), PNG.toString('base64')]
  expect(await requests[1]?.json()).toMatchObject({ messages: [{ images }] })
  expect(imageRequests).toBe(1)
})

test.each([
  ['http://169.254.169.254/latest/meta-data/', 'the gateway may not fetch this address'],
  ['http://127.0.0.2/a.png', 'the gateway may not fetch this address'],
  [imageUrl('/gone'), 'returned status 404'],
  [imageUrl('/page'), 'not an image'],
])('rejects the image at %s with a reason', async (url, reason) => {
  const response = await requestWithImages([url])
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(reason)
  expect(requests).toEqual([])
})

test('rejects more images than the limit', async () => {
  const response = await requestWithImages(
    Array.from({ length: 17 }, (_, index) => imageUrl(`/${index}.png`)),
  )
  expect(response.status).toBe(400)
  expect(imageRequests).toBe(0)
})
