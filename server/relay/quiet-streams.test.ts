import { describe, expect, test } from 'bun:test'
import type { Send } from '../http-client/send.ts'
import { auditLedger } from '../ledger/audit.ts'
import { connectionFor } from '../testing/test-connection.ts'
import { TestRelay } from '../testing/test-relay.ts'
import { relay as respond } from './pipeline.ts'

const OPENAI = 1
const ANTHROPIC = 14
const GEMINI = 24
const MISTRAL = 42
const COMMENT = ': keep-alive\n\n'
const PING = 'event: ping\ndata: {"type":"ping"}\n\n'
/** Four signs of life, so that one is heard where a busy machine delays them by seconds. */
const QUIET_MS = 4_500
/** All tests wait at the same time. */
const TIMEOUT_MS = 90_000

const chat = { model: 'lab', stream: true, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }
const CLIENTS = {
  interactions: {
    path: '/v1beta/interactions',
    body: { model: 'lab', stream: true, input: 'Hi' },
    sign: COMMENT,
  },
  chat: { path: '/v1/chat/completions', body: chat, sign: COMMENT },
  completions: { path: '/v1/completions', body: { model: 'lab', stream: true, prompt: 'Hi' }, sign: COMMENT },
  messages: { path: '/v1/messages', body: chat, sign: PING },
  responses: { path: '/v1/responses', body: { model: 'lab', stream: true, input: 'Hi' }, sign: COMMENT },
  gemini: {
    path: '/v1beta/models/lab:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    sign: COMMENT,
  },
  list: {
    path: '/v1beta/models/lab:streamGenerateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    sign: '\n',
  },
} as const
type Client = keyof typeof CLIENTS

interface Setting {
  readonly options?: { readonly KeepAliveSeconds?: number }
  readonly send?: Send
  /** The scenarios of the lab for a channel each, in the order in which they are called. */
  readonly upstreams: readonly string[]
  readonly type?: number
  readonly setting?: string
}

interface Served {
  readonly relay: TestRelay
  /** Asks as a client. */
  ask(client: Client, signal?: AbortSignal): Promise<Response>
  /** All clients ask at once, so their rows are in any order. */
  rows(): Promise<readonly object[]>
}

/** Serves a relay over HTTP, with silences of one second. After the work its ledger must balance, without a hold. */
async function serve<T>(
  { options, send, upstreams, type = OPENAI, setting = '' }: Setting,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  const relay = await TestRelay.open({
    options: { KeepAliveSeconds: 1, RetryTimes: 2, ...options },
    ...(send && { send }),
  })
  for (const [index, scenario] of upstreams.entries())
    await relay.addChannel({
      type,
      setting,
      priority: -index,
      name: `channel ${index}`,
      base_url: `http://lab.test/lab/fault/${scenario}`,
    })
  const key = await relay.addToken()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const connection = { ...connectionFor(request, await request.text()), hasSocket: true }
      return respond(request, connection, relay.context)
    },
  })
  const ask: Served['ask'] = (client, signal) =>
    fetch(`http://127.0.0.1:${server.port}${CLIENTS[client].path}`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(CLIENTS[client].body),
      ...(signal && { signal }),
    })
  const rows = () =>
    relay.db.selectFrom('logs').select(['type', 'quota', 'channel_id']).orderBy('quota').execute()
  try {
    return await work({ relay, ask, rows })
  } finally {
    await server.stop(true)
    const { drift } = await auditLedger(relay.db)
    const holds = await relay.db.selectFrom('holds').selectAll().execute()
    await relay.close()
    expect({ drift, holds }).toEqual({ drift: 0, holds: [] })
  }
}

/** What remains of a stream without signs of life: ids and times differ. */
const contentOf = (text: string, sign: string): string =>
  text
    .replaceAll(sign, '')
    .replace(/"(id|created|updated|created_at|completed_at|responseId|item_id)":("[^"]*"|\d+)/g, '')
    .replace(/[\w-]{24,}/g, '')
const signsIn = (text: string, sign: string): number => text.split(sign).length - 1
const EVENT = /^(: keep-alive|(event: [\w.]+\n)?data: (\{.*\}|\[DONE\]))$/
const eventsOf = (text: string): readonly string[] =>
  text.replaceAll('\r\n', '\n').split('\n\n').filter(Boolean)

const clients = (Object.keys(CLIENTS) as readonly Client[]).filter(client => client !== 'list')

/** What each client reads. */
async function readAll({ ask }: Pick<Served, 'ask'>) {
  const read = clients.map(async client => {
    const response = await ask(client)
    const { status, headers } = response
    const text = await response.text()
    return { client, status, type: headers.get('content-type'), text, sign: CLIENTS[client].sign }
  })
  return Promise.all(read)
}

/** Never responds. */
const hang: Send = (_, { signal }) =>
  new Promise(resolve => {
    const failure = { status: 499, code: 'client_closed_request', message: 'left' } as const
    signal.addEventListener('abort', () => resolve({ kind: 'failure', failure }))
  })

/** Side by side, since each of them waits for seconds. */
describe.concurrent('a quiet stream', () => {
  test.each([
    ['before the first byte', OPENAI, 'slow-headers'],
    ['before the first output', OPENAI, 'first-token'],
    ['before the first byte', ANTHROPIC, 'slow-headers'],
    ['before the first output', ANTHROPIC, 'first-token'],
    ['before the first byte', GEMINI, 'slow-headers'],
    ['before the first output', GEMINI, 'first-token'],
    ['before the first output', MISTRAL, 'first-token'],
  ])(
    '%s at provider %d is heard by all clients, who read all of it and pay the same',
    async (_, type, fault) => {
      const readWithRows = async (served: Served) => ({
        read: await readAll(served),
        rows: await served.rows(),
      })
      const expected = await serve({ type, upstreams: ['tokens-5'] }, readWithRows)
      const found = await serve({ type, upstreams: [`tokens-5+${fault}-${QUIET_MS}`] }, readWithRows)
      for (const [index, { text, sign, status, type: contentType }] of found.read.entries()) {
        expect({ status, contentType }).toEqual({ status: 200, contentType: 'text/event-stream' })
        expect(text).toStartWith(sign)
        expect(contentOf(text, sign)).toBe(contentOf(expected.read[index]?.text ?? '', sign))
      }
      expect(found.rows).toHaveLength(clients.length)
      expect(found.rows).toEqual(expected.rows)
    },
    TIMEOUT_MS,
  )

  test(
    'falls silent in the middle, which all clients hear between two events',
    async () => {
      for (const { text, sign } of await serve({ upstreams: [`tokens-2+pace-${QUIET_MS}`] }, readAll)) {
        for (const event of eventsOf(text)) expect(event).toMatch(EVENT)
        expect(signsIn(text, sign)).toBeGreaterThan(1)
      }
    },
    TIMEOUT_MS,
  )

  test(
    'that has begun ends with an error as an event, and costs nothing',
    () =>
      serve({ upstreams: [`slow-headers-${QUIET_MS}+status-400`] }, async served => {
        for (const { text, sign, status } of await readAll(served)) {
          expect(status).toBe(200)
          expect(text).toStartWith(sign)
          for (const event of eventsOf(text)) expect(event).toMatch(EVENT)
          expect(contentOf(text, sign)).toMatch(/"error"|response\.failed/)
        }
        expect(await served.rows()).toEqual(clients.map(() => ({ type: 5, quota: 0, channel_id: 1 })))
      }),
    TIMEOUT_MS,
  )

  test(
    'goes on to the next channel while the client waits',
    () =>
      serve({ upstreams: [`slow-headers-${QUIET_MS}+status-500`, 'tokens-5'] }, async ({ ask, relay }) => {
        const text = await (await ask('messages')).text()
        expect(text).toStartWith(PING)
        expect(text).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')
        const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
        expect(JSON.parse(receipt.body).attempts).toMatchObject([{ status: 500 }, { status: 200 }])
      }),
    TIMEOUT_MS,
  )

  test(
    'that its client leaves during the silence releases its hold',
    () =>
      serve({ upstreams: ['none'], send: hang }, async ({ ask, relay, rows }) => {
        const client = new AbortController()
        const response = await ask('messages', client.signal)
        const reader = response.body?.getReader()
        expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(PING)
        const holds = () => relay.db.selectFrom('holds').selectAll().execute()
        expect(await holds()).toHaveLength(1)
        client.abort()
        while ((await holds()).length !== 0) await new Promise(setImmediate)
        expect(await rows()).toEqual([{ type: 5, quota: 0, channel_id: 1 }])
      }),
    TIMEOUT_MS,
  )

  test.each([
    ['nothing where the gateway says so', { options: { KeepAliveSeconds: 0 } }, false],
    ['nothing where the channel says so', { setting: '{"keep_alive_seconds":0}' }, false],
    [
      'what the channel wants',
      { setting: '{"keep_alive_seconds":1}', options: { KeepAliveSeconds: 0 } },
      true,
    ],
  ])(
    'sends %s',
    (_, parts, isExpected) =>
      serve({ upstreams: [`tokens-2+slow-headers-${QUIET_MS}`], ...parts }, async ({ ask }) => {
        expect((await (await ask('chat')).text()).startsWith(COMMENT)).toBe(isExpected)
      }),
    TIMEOUT_MS,
  )

  test(
    'keeps the status of an error that comes in time',
    () =>
      serve({ upstreams: ['status-400'] }, async ({ ask }) => {
        expect((await ask('messages')).status).toBe(400)
      }),
    TIMEOUT_MS,
  )

  test(
    'has space between the entries of a list of JSON, which a client of Gemini reads',
    () =>
      serve({ upstreams: [`tokens-2+pace-${QUIET_MS}`] }, async ({ ask }) => {
        const response = await ask('list')
        const text = await response.text()
        expect(response.headers.get('content-type')).toStartWith('application/json')
        expect(text.replaceAll('\r\n', '').split('\n').length).toBeGreaterThan(1)
        expect(JSON.parse(text)).toBeArray()
      }),
    TIMEOUT_MS,
  )
})
