import { afterEach, expect, test } from 'bun:test'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const OLLAMA = 4

let opened: TestRelay | undefined
const asked: Request[] = []
let served = 0
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    served += 1
    const { pathname } = new URL(request.url)
    if (pathname === '/page')
      return new Response('<!doctype html>', { headers: { 'content-type': 'image/png' } })
    return pathname === '/gone' ? new Response('', { status: 404 }) : new Response(PNG)
  },
})

afterEach(async () => {
  await opened?.close()
  asked.length = 0
  served = 0
})

async function ask(urls: readonly string[], types: readonly number[] = [OLLAMA]): Promise<Response> {
  opened = await TestRelay.open({
    settings: { retryTimes: 3 },
    send: sendThrough(async request => {
      asked.push(request.clone())
      if (asked.length < types.length) return new Response('{}', { status: 500 })
      return Response.json({ message: { content: 'a dot' }, done: true, done_reason: 'stop' })
    }),
  })
  for (const type of types) await opened.addChannel({ type })
  const content = urls.map(url => ({ type: 'image_url', image_url: { url } }))
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'what is it?' }, ...content] }]
  return opened.ask('/v1/chat/completions', await opened.addToken(), { model: 'lab', messages })
}

const at = (path: string): string => `http://127.0.0.1:${host.port}${path}`

test('a picture at an address is fetched once and put into the body for a vendor that fetches none', async () => {
  expect((await ask([at('/a.png'), at('/a.png')], [OLLAMA, OLLAMA])).status).toBe(200)
  const images = [PNG.toString('base64'), PNG.toString('base64')]
  expect(await asked[1]?.json()).toMatchObject({ messages: [{ images }] })
  expect(served).toBe(1)
})

test.each([
  ['http://169.254.169.254/latest/meta-data/', 'not open to the gateway'],
  ['http://127.0.0.2/a.png', 'not open to the gateway'],
  [at('/gone'), 'answered with the status 404'],
  [at('/page'), 'no picture'],
])("a picture at %s is refused in the client's words", async (url, reason) => {
  const answer = await ask([url])
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(reason)
  expect(asked).toEqual([])
})

test('more pictures than we are ready to fetch are refused', async () => {
  const answer = await ask(Array.from({ length: 17 }, (_, index) => at(`/${index}.png`)))
  expect(answer.status).toBe(400)
  expect(served).toBe(0)
})
