import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { GatewayError } from '#server/core/errors.ts'
import { sameInBoth } from '#server/core/language.ts'
import { MIB } from '#server/core/limits.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { loseOpenHolds } from '#server/ledger/testing.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import { relay as runRelay } from '#server/relay/pipeline.ts'
import { type BodyMemory, createBodyMemory } from '#server/relay/request/body-memory.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { ResponseSocket } from './response-socket.ts'
import { SocketMemory } from './socket-memory.ts'

const ANTHROPIC = 14
const WAIT_MS = 5_000
const BODY_MEMORY_BYTES = 64 * MIB

let relay: TestRelay
let bodies: JsonObject[] = []
let memory: SocketMemory
let bodyMemory: BodyMemory
let isStalled = false
let reject: (error: GatewayError) => void = () => undefined
let open: (() => Promise<Opened>) | undefined

interface Opened {
  readonly socket: ResponseSocket
  readonly events: JsonObject[]
  readonly closed: { code: number; reason: string }[]
}

const textEvent = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
})

function respond(): Response {
  const usage = { input_tokens: 10, output_tokens: 2 }
  const events = [
    { type: 'message_start', message: { id: 'm', model: bodies.at(-1)?.model, usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    textEvent(`answer ${bodies.length}`),
    ...(isStalled
      ? []
      : [
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
          { type: 'message_stop' },
        ]),
  ]
  const text = events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (!isStalled) controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

async function openRelay(ModelRatio: Readonly<Record<string, number>> = { lab: 1 }): Promise<void> {
  bodies = []
  isStalled = false
  memory = new SocketMemory()
  bodyMemory = createBodyMemory(BODY_MEMORY_BYTES)
  relay = await TestRelay.open({
    prices: testPrices({ ModelRatio, CompletionRatio: { lab: 2 } }),
    send: async ({ body }) => {
      bodies.push(asObject(JSON.parse(String(body))))
      return receivedResponse(respond())
    },
  })
  const token = await relay.addToken()
  await relay.addChannel({ type: ANTHROPIC, models: Object.keys(ModelRatio).join() })
  open = async () => {
    const events: JsonObject[] = []
    const closed: { code: number; reason: string }[] = []
    const socket = new ResponseSocket({
      respond: (request, connection) => runRelay(request, connection, relay.context),
      client: relay.context.dialects.get('responses'),
      language: 'en',
      url: new URL('http://gateway.test/v1/responses'),
      headers: new Headers({ authorization: `Bearer sk-${token}`, upgrade: 'websocket' }),
      clientIp: '192.0.2.1',
      userId: relay.userId,
      memory,
      openMemory: sender => bodyMemory.open(sender),
      checkCaller(onRejected) {
        reject = onRejected
        return () => undefined
      },
      log: relay.context.log,
      onClosed: () => undefined,
    })
    socket.onOpen({
      send: frame => void events.push(asObject(parseJson(String(frame)))),
      close: (code, reason) => void closed.push({ code, reason }),
      drained: () => Promise.resolve(),
    })
    return { socket, events, closed }
  }
}

beforeEach(() => openRelay())

afterEach(() => relay.close())

const openSocket = (): Promise<Opened> => {
  if (!open) throw new Error('no relay is open')
  return open()
}

async function waitFor(find: () => unknown): Promise<void> {
  const end = Date.now() + WAIT_MS
  while (!find()) {
    if (Date.now() > end) throw new Error('it did not happen')
    await Bun.sleep(2)
  }
}

const FINAL = /^(response\.completed|error)$/
const countFinal = ({ events }: Opened): number =>
  events.filter(({ type }) => FINAL.test(String(type))).length

/** Sends one turn and returns its last event. */
async function turn(opened: Opened, fields: JsonObject): Promise<JsonObject> {
  const before = countFinal(opened)
  opened.socket.onMessage(JSON.stringify({ type: 'response.create', model: 'lab', ...fields }))
  await waitFor(() => countFinal(opened) > before)
  return opened.events.at(-1) ?? {}
}

const idOf = (event: JsonObject): string => asString(asObject(event.response).id) ?? ''

const textsOf = (body: JsonObject | undefined): readonly unknown[] =>
  asArray(body?.messages).map(message => {
    const { content } = asObject(message)
    return typeof content === 'string' ? content : asObject(asArray(content)[0]).text
  })

const charges = () => relay.db.selectFrom('logs').select(['quota', 'type']).where('type', '=', 2).execute()
const holds = () => relay.db.selectFrom('holds').select('request_id').execute()

test.each([true, false])('continues the latest response of the connection, stored: %p', async store => {
  const opened = await openSocket()
  const first = await turn(opened, { input: 'one', store })
  const second = await turn(opened, { input: 'two', store, previous_response_id: idOf(first) })
  await turn(opened, { input: 'three', store, previous_response_id: idOf(second) })
  expect(textsOf(bodies.at(-1))).toEqual(['one', 'answer 1', 'two', 'answer 2', 'three'])
  expect(await charges()).toHaveLength(3)
  expect(opened.closed).toEqual([])
  await opened.socket.onClose()
  expect(await listStoredIds()).toHaveLength(store ? 3 : 0)
})

test('serves free models to a token without quota, and rejects others', async () => {
  await relay.close()
  await openRelay({ lab: 1, gift: 0 })
  await relay.db.updateTable('tokens').set({ unlimited_quota: 0, remain_quota: 0 }).execute()
  const opened = await openSocket()
  expect(await turn(opened, { input: 'one', model: 'gift' })).toMatchObject({ type: 'response.completed' })
  expect(await turn(opened, { input: 'two' })).toMatchObject({
    type: 'error',
    error: { code: 'insufficient_quota' },
  })
  expect(await turn(opened, { input: 'three', model: 'gift' })).toMatchObject({ type: 'response.completed' })
  expect(opened.closed).toEqual([])
  expect((await charges()).map(({ quota }) => Number(quota))).toEqual([0, 0])
})

test('keeps responses that are not stored to their connection', async () => {
  const [one, other] = [await openSocket(), await openSocket()]
  const first = await turn(one, { input: 'one', store: false })
  expect(await turn(other, { input: 'two', previous_response_id: idOf(first) })).toMatchObject({
    type: 'error',
    status: 404,
    error: { code: 'previous_response_not_found' },
  })
  expect(bodies).toHaveLength(1)
  expect(other.closed).toEqual([])
})

test('prepares a request without a provider and without a charge', async () => {
  const opened = await openSocket()
  const warm = await turn(opened, { input: 'one', generate: false, store: false })
  expect(warm).toMatchObject({ type: 'response.completed', response: { output: [], status: 'completed' } })
  expect(bodies).toHaveLength(0)
  await turn(opened, { input: [{ role: 'user', content: 'two' }], previous_response_id: idOf(warm) })
  for (const text of ['one', 'two']) expect(JSON.stringify(bodies.at(-1)?.messages)).toContain(text)
  expect(await charges()).toHaveLength(1)
})

test('runs turns one after the other', async () => {
  const opened = await openSocket()
  for (const input of ['a', 'b', 'c'])
    opened.socket.onMessage(JSON.stringify({ type: 'response.create', model: 'lab', input, store: false }))
  await waitFor(() => countFinal(opened) === 3)
  const types = opened.events.map(({ type }) => type)
  expect(types.filter(type => type === 'response.created')).toHaveLength(3)
  expect(types.indexOf('response.created', 1)).toBeGreaterThan(types.indexOf('response.completed'))
  expect(await charges()).toHaveLength(3)
})

test('reports an error and goes on', async () => {
  const opened = await openSocket()
  expect(await turn(opened, { model: 'unknown', input: 'x' })).toMatchObject({ type: 'error', status: 404 })
  expect(await turn(opened, { model: 3, input: 'x' })).toMatchObject({ type: 'error', status: 400 })
  expect(await turn(opened, { input: 'x' })).toMatchObject({ type: 'response.completed' })
})

test('closes the connection on binary frames', async () => {
  const opened = await openSocket()
  opened.socket.onMessage(new Uint8Array([1, 2]))
  expect(opened.closed[0]?.code).toBe(1003)
  expect(opened.closed[0]?.reason).not.toBe('')
})

test.each([
  ['text that is no JSON', '{', 'invalid_json'],
  ['another event', '{"type":"session.update"}', 'invalid_request'],
  ['a list', '[]', 'invalid_request'],
  [
    'more elements than a body may have',
    `{"type":"response.create","input":[${'[],'.repeat(500_000)}1]}`,
    'invalid_request',
  ],
])('closes the connection on %s', async (_, frame, code) => {
  const opened = await openSocket()
  opened.socket.onMessage(frame)
  await waitFor(() => countFinal(opened) === 1)
  expect(opened.events[0]).toMatchObject({ type: 'error', status: 400, error: { code } })
  await waitFor(() => opened.closed.length > 0)
  expect(opened.closed[0]?.code).toBe(1008)
})

const FRAMES: readonly JsonObject[] = [{ generate: false }, {}]
const asUser = (columns: Record<string, number>) => () => relay.db.updateTable('users').set(columns).execute()
const asToken = (columns: Record<string, number>) => () =>
  relay.db.updateTable('tokens').set(columns).execute()

test.each([
  ['a banned user', 'user_banned', 403, asUser({ status: 2 })],
  ['a disabled token', 'token_disabled', 401, asToken({ status: 2 })],
  ['an expired token', 'token_expired', 401, asToken({ expired_time: 1 })],
])('ends the open socket of %s at the next frame', async (_, code, status, change) => {
  for (const fields of FRAMES) {
    const opened = await openSocket()
    await change()
    // The text is not looked at.
    expect(await turn(opened, { ...fields, input: 'x', model: 3 })).toMatchObject({ status, error: { code } })
    await waitFor(() => opened.closed.length > 0)
    expect(opened.closed).toHaveLength(1)
  }
  expect(bodies).toHaveLength(0)
})

test.each(FRAMES)('looks at the balance before it reads %p', async fields => {
  const opened = await openSocket()
  await asUser({ quota: 0 })()
  opened.socket.onMessage(`{"type":"response.create","generate":${fields.generate ?? true},`)
  await waitFor(() => countFinal(opened) === 1)
  expect(opened.events[0]).toMatchObject({ status: 429, error: { code: 'insufficient_quota' } })
  await asUser({ quota: 1_000_000 })()
  expect(await turn(opened, { input: 'x' })).toMatchObject({ type: 'response.completed' })
})

test('counts every frame as a request', async () => {
  const opened = await openSocket()
  await asToken({ requests_per_minute: 2 })()
  for (const type of ['response.completed', 'response.completed', 'error'])
    expect(await turn(opened, { input: 'x', generate: false })).toMatchObject({ type })
  expect(opened.events.at(-1)).toMatchObject({ status: 429 })
  expect(opened.closed).toEqual([])
})

test('repeats no more than the short known fields of a warm-up', async () => {
  const opened = await openSocket()
  const long = 'x'.repeat(100_000)
  const metadata = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 'a']))
  const fields = { input: long, instructions: long, metadata, [long]: 1, unknown: long, user: long }
  const warm = await turn(opened, { ...fields, generate: false, temperature: 0.5, truncation: 'auto' })
  expect(warm).toMatchObject({ response: { temperature: 0.5, truncation: 'auto' } })
  expect(JSON.stringify(opened.events).length).toBeLessThan(8_192)
})

test('refuses a frame for which the memory for bodies has no room', async () => {
  const [opened, other] = [await openSocket(), await openSocket()]
  bodyMemory.open('others').take(32 * MIB)
  const text = JSON.stringify({ type: 'response.create', model: 'lab', input: 'x'.repeat(9 * MIB) })
  opened.socket.onMessage(text)
  expect(opened.events).toMatchObject([{ type: 'error', status: 503, error: { code: 'server_busy' } }])
  expect(await turn(other, { input: 'x' })).toMatchObject({ type: 'response.completed' })
  expect(opened.closed).toEqual([])
})

test('does not open a socket for an empty wallet', async () => {
  const token = await relay.addToken()
  await asUser({ quota: 0 })()
  const headers = { authorization: `Bearer sk-${token}`, upgrade: 'websocket' }
  const response = await relay.handle(new Request('http://gateway.test/v1/responses', { headers }))
  expect(response.status).toBe(429)
})

test('continues a stored response over a response that is not stored', async () => {
  const opened = await openSocket()
  const first = await turn(opened, { input: 'one' })
  const second = await turn(opened, { input: 'two', store: false, previous_response_id: idOf(first) })
  await turn(opened, { input: 'three', store: false, previous_response_id: idOf(second) })
  expect(textsOf(bodies.at(-1))).toEqual(['one', 'answer 1', 'two', 'answer 2', 'three'])
})

test('charges a turn whose hold a failover of the database lost', async () => {
  isStalled = true
  const opened = await openSocket()
  opened.socket.onMessage(JSON.stringify({ type: 'response.create', model: 'lab', input: 'hi' }))
  await waitFor(() => opened.events.some(({ type }) => type === 'response.output_text.delta'))
  expect(await loseOpenHolds(relay.db)).toBe(1)
  await opened.socket.onClose()
  expect(await charges()).toHaveLength(1)
  expect([await holds(), (await auditLedger(relay.db)).drift]).toEqual([[], 0])
})

test.each(['leaves', 'breaks the protocol'])('charges a turn once when the client %s', async how => {
  isStalled = true
  const opened = await openSocket()
  opened.socket.onMessage(JSON.stringify({ type: 'response.create', model: 'lab', input: 'hi' }))
  await waitFor(() => opened.events.some(({ type }) => type === 'response.output_text.delta'))
  if (how === 'breaks the protocol') opened.socket.onMessage(new Uint8Array([0]))
  await opened.socket.onClose()
  await opened.socket.onClose()
  expect(await charges()).toHaveLength(1)
  expect(Number((await charges())[0]?.quota)).toBeGreaterThan(0)
  expect(await holds()).toEqual([])
  expect(await listStoredIds()).toEqual([])
})

test.each([
  ['user_banned', true],
  ['token_exhausted', false],
] as const)(
  'a caller who may not go on for %s: closes at once, also within a turn: %p',
  async (code, isEnd) => {
    isStalled = true
    const opened = await openSocket()
    opened.socket.onMessage(JSON.stringify({ type: 'response.create', model: 'lab', input: 'x' }))
    await waitFor(() => opened.events.some(({ type }) => type === 'response.output_text.delta'))
    reject(new GatewayError(code, sameInBoth('no')))
    expect(opened.closed.map(frame => frame.code)).toEqual(isEnd ? [1008] : [])
    await opened.socket.onClose()
  },
)

test('closes the connection when too many turns wait', async () => {
  isStalled = true
  const opened = await openSocket()
  for (let sent = 0; sent < 8; sent += 1)
    opened.socket.onMessage(JSON.stringify({ type: 'response.create', model: 'lab', input: 'hi' }))
  expect(opened.closed[0]?.code).toBe(1008)
  await opened.socket.onClose()
  expect(bodies.length).toBeLessThan(2)
  expect(await holds()).toEqual([])
})

test('gives back the memory of frames and conversations', async () => {
  const most = 48 * MIB
  const opened = await openSocket()
  await turn(opened, { input: 'x'.repeat(1_000), store: false })
  expect(memory.take(relay.userId, most)).toBe(false)
  isStalled = true
  for (let sent = 0; sent < 3; sent += 1)
    opened.socket.onMessage(JSON.stringify({ type: 'response.create', model: 'lab', input: 'hi' }))
  await opened.socket.onClose()
  expect(memory.take(relay.userId, most)).toBe(true)
  expect(memory.take(relay.userId, 1)).toBe(false)
  expect(() => bodyMemory.open('others').take(32 * MIB)).not.toThrow()
})

test('asks for an upgrade where there is none', async () => {
  const token = await relay.addToken()
  const headers = { authorization: `Bearer sk-${token}` }
  const response = await relay.handle(new Request('http://gateway.test/v1/responses', { headers }))
  expect(response.status).toBe(426)
  expect(response.headers.get('upgrade')).toBe('websocket')
})

const listStoredIds = async () => (await sql`select id from stored_responses`.execute(relay.db)).rows
