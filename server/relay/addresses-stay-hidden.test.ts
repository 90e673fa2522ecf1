import { afterEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { createLogger } from '../core/logger.ts'
import { TestRelay } from '../testing/test-relay.ts'
import { send } from './upstream/send.ts'

/** Reads a token from the address. */
const BAIDU = 15
const SECRETS = ['api-key-of-the-channel', 'secret-of-the-channel', '24.token-of-the-channel']
const [API_KEY, SECRET, TOKEN] = SECRETS

type Answer = (request: Request) => Response

let server: Server<undefined>
let relay: TestRelay
afterEach(async () => {
  await relay.close()
  await server.stop(true)
})

/** Asks a vendor that gives a token and then answers so. Gives all that was said to anybody. */
async function ask(
  answer: Answer,
  giveToken: Answer = tokenGiven,
): Promise<{ readonly asked: string; readonly said: string }> {
  let asked = ''
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      if (request.url.includes('/oauth/')) return giveToken(request)
      asked = request.url
      return answer(request)
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
  return { asked, said: client + JSON.stringify(rows) + lines.join('') }
}

const tokenGiven = (): Response => Response.json({ access_token: TOKEN, expires_in: 2_592_000 })

const quoting = `the client ${API_KEY} with ${SECRET} is not known`
const events = (...jsons: readonly object[]): Response =>
  new Response(jsons.map(json => `data: ${JSON.stringify(json)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

const breakOff = (): Response =>
  new Response('data: {"result":"It is","is_end":false}\n\n', {
    headers: { 'content-type': 'text/event-stream' },
  })

const cases: Readonly<Record<string, Answer>> = {
  'quotes its whole address': ({ url }) =>
    Response.json({ error: { message: `no route: ${url}` } }, { status: 404 }),
  'quotes its address without the host': ({ url }) =>
    Response.json({ error_code: 3, error_msg: `Unsupported ${new URL(url).pathname}${new URL(url).search}` }),
  'sends us elsewhere': ({ url }) => new Response(null, { status: 302, headers: { location: url } }),
  'breaks its answer off': breakOff,
  'quotes the key': () => Response.json({ error: { message: quoting } }, { status: 403 }),
  'quotes the key in a code': () =>
    Response.json({ error: { message: 'no', code: quoting } }, { status: 403 }),
  'quotes the key in a good answer': () => Response.json({ error_code: 6, error_msg: quoting }),
  'quotes the key in the first event': () => events({ error_code: 6, error_msg: quoting }),
  'quotes the key in the middle of its answer': () =>
    events({ result: 'It is', is_end: false }, { error_code: 6, error_msg: quoting }),
}

for (const [name, answer] of Object.entries(cases))
  test(`an upstream that ${name} does not tell anybody what stands in the address`, async () => {
    const { asked, said } = await ask(answer)
    expect(asked).toContain(`access_token=${TOKEN}`)
    for (const secret of SECRETS) expect(said).not.toContain(secret)
    expect(said).not.toContain('127.0.0.1:')
  })

test('neither does one that quotes the key where it is to be traded for a token', async () => {
  const refuse = () => Response.json({ error_description: quoting }, { status: 400 })
  const { said } = await ask(breakOff, refuse)
  expect(said).toContain('Baidu gave no token')
  for (const secret of SECRETS) expect(said).not.toContain(secret)
})

test('neither does one that cannot be reached', async () => {
  const { said } = await ask(() => {
    void server.stop(true)
    return new Response(null, { status: 500 })
  })
  for (const secret of SECRETS) expect(said).not.toContain(secret)
})
