import { afterEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { createLogger } from '../core/logger.ts'
import { send } from '../http-client/send.ts'
import { TestRelay } from '../testing/test-relay.ts'

/** Baidu's token is part of the URL. */
const BAIDU = 15
const SECRETS = ['api-key-of-the-channel', 'secret-of-the-channel', '24.token-of-the-channel']
const [API_KEY, SECRET, TOKEN] = SECRETS

type Respond = (request: Request) => Response

let server: Server<undefined>
let relay: TestRelay
afterEach(async () => {
  await relay.close()
  await server.stop(true)
})

/**
 * Calls a provider with these responses. Returns the requested URL, and everything that the client, the logs and the
 * log lines contain.
 */
async function call(
  respond: Respond,
  respondWithToken: Respond = tokenResponse,
): Promise<{ readonly requestedUrl: string; readonly output: string }> {
  let requestedUrl = ''
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      if (request.url.includes('/oauth/')) return respondWithToken(request)
      requestedUrl = request.url
      return respond(request)
    },
  })
  const lines: string[] = []
  const log = createLogger({ level: 'debug', isPretty: false, write: line => lines.push(line) })
  relay = await TestRelay.open({ send, log })
  const key_sealed = relay.context.secrets.encrypt(`${API_KEY}|${SECRET}`)
  await relay.addChannel({ type: BAIDU, base_url: `http://127.0.0.1:${server.port}`, key_sealed })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }], stream: true }
  const client = await (await relay.request('/v1/chat/completions', await relay.addToken(), body)).text()
  const rows = await relay.db.selectFrom('logs').selectAll().execute()
  return { requestedUrl, output: client + JSON.stringify(rows) + lines.join('') }
}

const tokenResponse = (): Response => Response.json({ access_token: TOKEN, expires_in: 2_592_000 })

const quotingKey = `the client ${API_KEY} with ${SECRET} is not known`
const events = (...jsons: readonly object[]): Response =>
  new Response(jsons.map(json => `data: ${JSON.stringify(json)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

const breakOff = (): Response =>
  new Response('data: {"result":"It is","is_end":false}\n\n', {
    headers: { 'content-type': 'text/event-stream' },
  })

const cases: Readonly<Record<string, Respond>> = {
  'quotes its URL': ({ url }) => Response.json({ error: { message: `no route: ${url}` } }, { status: 404 }),
  'quotes its URL without the host': ({ url }) =>
    Response.json({ error_code: 3, error_msg: `Unsupported ${new URL(url).pathname}${new URL(url).search}` }),
  redirects: ({ url }) => new Response(null, { status: 302, headers: { location: url } }),
  'breaks off its stream': breakOff,
  'quotes the key': () => Response.json({ error: { message: quotingKey } }, { status: 403 }),
  'quotes the key in a code': () =>
    Response.json({ error: { message: 'no', code: quotingKey } }, { status: 403 }),
  'quotes the key in a response with status 200': () =>
    Response.json({ error_code: 6, error_msg: quotingKey }),
  'quotes the key in the first event': () => events({ error_code: 6, error_msg: quotingKey }),
  'quotes the key in the middle of its stream': () =>
    events({ result: 'It is', is_end: false }, { error_code: 6, error_msg: quotingKey }),
}

for (const [name, respond] of Object.entries(cases))
  test(`redacts the secrets of an upstream that ${name}`, async () => {
    const { requestedUrl, output } = await call(respond)
    expect(requestedUrl).toContain(`access_token=${TOKEN}`)
    for (const secret of SECRETS) expect(output).not.toContain(secret)
    expect(output).not.toContain('127.0.0.1:')
  })

test('redacts a key that the token endpoint quotes', async () => {
  const rejectKey = () => Response.json({ error_description: quotingKey }, { status: 400 })
  const { output } = await call(breakOff, rejectKey)
  expect(output).toContain('Baidu returned no access token')
  for (const secret of SECRETS) expect(output).not.toContain(secret)
})

test('redacts the URL of an unreachable upstream', async () => {
  const { output } = await call(() => {
    void server.stop(true)
    return new Response(null, { status: 500 })
  })
  for (const secret of SECRETS) expect(output).not.toContain(secret)
})
