import { afterEach, expect, test } from 'bun:test'
import { previewRoute } from '#features/channels/server/preview.ts'
import { testChannel } from '#features/channels/server/test-channel.ts'
import { setClock } from '../../core/clock.ts'
import { MIB } from '../../core/limits.ts'
import type { Send } from '../../http-client/send.ts'
import { receivedBody, receivedResponse } from '../../testing/received-response.ts'
import { testPrices } from '../../testing/test-prices.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { SessionAffinity } from './session-affinity.ts'

const OLLAMA = 4
const OPENAI_COMPATIBLE = 8

let relay: TestRelay
let restoreClock: (() => void) | undefined

afterEach(async () => {
  restoreClock?.()
  restoreClock = undefined
  await relay.close()
})

const BODY = { model: 'lab', messages: [{ role: 'user', content: 'hi' }] }
const REPLY = {
  id: 'x',
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

interface ReceivedCall {
  readonly key: string
  readonly host: string
}

/** A provider whose status depends on key or host; 200 comes with `REPLY`. Records the calls. */
function fakeProvider(statusOf: (call: ReceivedCall) => number, headers: Record<string, string> = {}) {
  const calls: ReceivedCall[] = []
  const respond = async (request: Request) => {
    const call = {
      key: (request.headers.get('authorization') ?? '').replace('Bearer ', ''),
      host: new URL(request.url).hostname,
    }
    calls.push(call)
    const status = statusOf(call)
    return status === 200
      ? Response.json(REPLY)
      : Response.json({ error: { message: `it is ${status}`, code: 'c' } }, { status, headers })
  }
  return { calls, respond }
}

const sendTo =
  (respond: (request: Request) => Promise<Response>): Send =>
  async ({ url, headers, body }) =>
    receivedResponse(
      await respond(new Request(url, { method: 'POST', headers, body: receivedBody(body) ?? null })),
    )

const channelWithKeys = (...keys: string[]) => ({
  key_sealed: relay.encryptKey(keys.join('\n')),
  setting: '{"several_keys":true}',
})

async function requestChat(): Promise<number> {
  const response = await relay.request('/v1/chat/completions', token, BODY)
  await response.text()
  return response.status
}

let token: string

async function openRelay(respond: (request: Request) => Promise<Response>, retryTimes = 0): Promise<void> {
  relay = await TestRelay.open({
    send: sendTo(respond),
    options: { RetryTimes: retryTimes, AutomaticDisableChannelEnabled: true },
  })
  token = await relay.addToken()
}

const findChannelStatus = async (id: number) =>
  (await relay.db.selectFrom('channels').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status

test('retries a revoked key with the next key of its channel, regardless of RetryTimes, and starts its cooldown', async () => {
  const { calls, respond } = fakeProvider(({ key }) => (key === 'revoked' ? 401 : 200))
  await openRelay(respond)
  const id = await relay.addChannel(channelWithKeys('revoked', 'good'))
  const statuses = []
  for (let count = 0; count < 20; count += 1) statuses.push(await requestChat())
  expect(statuses).toEqual(Array(20).fill(200))
  expect(calls.filter(({ key }) => key === 'revoked').length).toBeLessThanOrEqual(1)
  expect(await findChannelStatus(id)).toBe(1)
})

test('spreads requests over the keys of a channel', async () => {
  const { calls, respond } = fakeProvider(() => 200)
  await openRelay(respond)
  await relay.addChannel(channelWithKeys('a', 'b', 'c'))
  for (let count = 0; count < 60; count += 1) await requestChat()
  expect(new Set(calls.map(({ key }) => key))).toEqual(new Set(['a', 'b', 'c']))
})

test('disables a channel when the last of its keys is revoked', async () => {
  const { respond } = fakeProvider(() => 401)
  await openRelay(respond)
  const id = await relay.addChannel(channelWithKeys('a', 'b'))
  expect(await requestChat()).toBe(401)
  expect(await findChannelStatus(id)).toBe(3)
})

test('keeps a channel enabled while a key is only rate limited and disables it when the last is revoked', async () => {
  const revokedKeys = new Set(['revoked'])
  const { respond } = fakeProvider(({ key }) => (revokedKeys.has(key) ? 401 : 429), { 'retry-after': '60' })
  await openRelay(respond)
  const id = await relay.addChannel(channelWithKeys('revoked', 'busy'))
  for (let count = 0; count < 6; count += 1) expect([401, 429]).toContain(await requestChat())
  expect(await findChannelStatus(id)).toBe(1)
  revokedKeys.add('busy')
  await requestChat()
  expect(await findChannelStatus(id)).toBe(3)
})

test('treats a key as revoked when the error message contains a configured keyword', async () => {
  const unpaidKeys = new Set(['unpaid'])
  const usedKeys: string[] = []
  relay = await TestRelay.open({
    send: sendTo(async request => {
      const key = (request.headers.get('authorization') ?? '').replace('Bearer ', '')
      usedKeys.push(key)
      return unpaidKeys.has(key)
        ? Response.json({ error: { message: 'Your credit balance is too low' } }, { status: 400 })
        : Response.json(REPLY)
    }),
    options: {
      AutomaticDisableChannelEnabled: true,
      AutomaticDisableKeywords: ['credit balance is too low'],
    },
  })
  token = await relay.addToken()
  const id = await relay.addChannel(channelWithKeys('unpaid', 'good'))
  for (let count = 0; count < 20; count += 1) await requestChat()
  expect(usedKeys.filter(key => key === 'unpaid').length).toBeLessThanOrEqual(1)
  unpaidKeys.add('good')
  await requestChat()
  expect(await findChannelStatus(id)).toBe(3)
})

test('ignores a keyword that the provider quotes from the request', async () => {
  await openRelay(async request => {
    const { service_tier } = await request.json()
    return Response.json({ error: { message: `Invalid value: '${service_tier}'.` } }, { status: 400 })
  })
  Object.assign(relay.context.settings.current(), { AutomaticDisableKeywords: ['permission "is" denied'] })
  const id = await relay.addChannel()
  const requestTier = (tier: string) =>
    relay.request('/v1/chat/completions', token, { ...BODY, service_tier: tier })
  expect((await requestTier('Permission "is" Denied')).status).toBe(400)
  expect(await findChannelStatus(id)).toBe(1)
})

test.each([
  ['disables the channel for a keyword of its own', 100, 3],
  ['searches no large body for the keyword, and disables nothing', 9 * MIB, 1],
])('%s', async (_, bytes, status) => {
  await openRelay(async () =>
    Response.json({ error: { message: 'credit balance is too low' } }, { status: 400 }),
  )
  Object.assign(relay.context.settings.current(), { AutomaticDisableKeywords: ['balance is too low'] })
  const id = await relay.addChannel()
  const url = `data:image/png;base64,${'A'.repeat(bytes)}`
  const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
  await relay.request('/v1/chat/completions', token, { ...BODY, messages })
  expect(await findChannelStatus(id)).toBe(status)
})

test.each([
  [401, '{"401":"500"}', 500, 1],
  [500, '{"500":"401"}', 401, 3],
])(
  'decides whether status %d revokes a key after the mapping %s',
  async (providerStatus, mapping, mappedStatus, channelStatus) => {
    const { respond } = fakeProvider(() => providerStatus)
    await openRelay(respond)
    const id = await relay.addChannel({ status_code_mapping: mapping })
    expect(await requestChat()).toBe(mappedStatus)
    expect(await findChannelStatus(id)).toBe(channelStatus)
  },
)

test('ends the cooldown of a key when a channel test succeeds', async () => {
  let isPaid = false
  const { calls, respond } = fakeProvider(({ host }) => (host === 'unpaid.test' && !isPaid ? 402 : 200))
  await openRelay(respond)
  const id = await relay.addChannel({ base_url: 'http://unpaid.test', priority: 9 })
  await relay.addChannel({ base_url: 'http://other.test' })
  await requestChat()
  expect(await findChannelStatus(id)).toBe(3)
  isPaid = true
  await relay.db.updateTable('channels').set({ status: 1 }).execute()
  await relay.context.channels.refresh()
  await requestChat()
  expect(calls.at(-1)?.host).toBe('other.test')
  expect(await testChannel(relay.context, id, { model: '', isStream: false })).toMatchObject({ ok: true })
  await requestChat()
  expect(calls.at(-1)?.host).toBe('unpaid.test')
})

test('keeps a rate limited key in cooldown for as long as Retry-After says', async () => {
  const { calls, respond } = fakeProvider(({ key }) => (key === 'spent' ? 429 : 200), { 'retry-after': '60' })
  await openRelay(respond)
  await relay.addChannel(channelWithKeys('spent', 'fresh'))
  for (let count = 0; count < 20; count += 1) expect(await requestChat()).toBe(200)
  expect(calls.filter(({ key }) => key === 'spent').length).toBeLessThanOrEqual(1)
})

test('calls a channel with five failures only when no other is left', async () => {
  const { calls, respond } = fakeProvider(({ host }) => (host === 'bad.test' ? 503 : 200))
  await openRelay(respond, 1)
  await relay.addChannel({ base_url: 'http://bad.test', priority: 9 })
  await relay.addChannel({ base_url: 'http://good.test' })
  for (let count = 0; count < 20; count += 1) expect(await requestChat()).toBe(200)
  expect(calls.filter(({ host }) => host === 'bad.test')).toHaveLength(5)
})

test('does not hold a bad request against the channel', async () => {
  const { calls, respond } = fakeProvider(() => 400)
  await openRelay(respond)
  await relay.addChannel()
  for (let count = 0; count < 20; count += 1) expect(await requestChat()).toBe(400)
  expect(calls).toHaveLength(20)
  expect(
    previewRoute(relay.context, { group: 'default', model: 'lab' }).candidates[0]?.skipReason,
  ).toBeUndefined()
})

test('sends the second concurrent request to another channel until the first response ends', async () => {
  const gate = Promise.withResolvers<void>()
  const hosts: string[] = []
  await openRelay(async request => {
    hosts.push(new URL(request.url).hostname)
    await gate.promise
    return Response.json(REPLY)
  })
  await relay.addChannel({ base_url: 'http://one.test', priority: 9, setting: '{"max_concurrency":1}' })
  await relay.addChannel({ base_url: 'http://two.test', setting: '{"max_concurrency":1}' })
  const running = [requestChat(), requestChat()]
  while (hosts.length < 2) await Bun.sleep(1)
  expect(hosts.toSorted()).toEqual(['one.test', 'two.test'])
  expect(await requestChat()).toBe(429)
  gate.resolve()
  expect(await Promise.all(running)).toEqual([200, 200])
  expect(await requestChat()).toBe(200)
  expect(hosts.at(-1)).toBe('one.test')
})

test('respects the rate limit of a channel and responds 429 beyond it', async () => {
  const { calls, respond } = fakeProvider(() => 200)
  await openRelay(respond)
  await relay.addChannel({ setting: '{"requests_per_minute":3}' })
  const statuses = []
  for (let count = 0; count < 8; count += 1) statuses.push(await requestChat())
  expect(calls.length).toBeGreaterThanOrEqual(3)
  expect(calls.length).toBeLessThanOrEqual(6)
  expect(statuses.filter(status => status === 200)).toHaveLength(calls.length)
  expect(statuses.filter(status => status === 429)).toHaveLength(8 - calls.length)
})

test('does not count an unsupported operation against the rate limit of a channel', async () => {
  const { calls, respond } = fakeProvider(() => 200)
  await openRelay(respond)
  await relay.addChannel({ setting: '{"requests_per_minute":1}' })
  const question = { model: 'lab', query: 'a', documents: ['b'] }
  for (let count = 0; count < 9; count += 1)
    expect((await relay.request('/v1/rerank', token, question)).status).toBe(404)
  expect(await requestChat()).toBe(200)
  expect(calls).toHaveLength(1)
})

test('responds with the provider’s error rather than why later channels were skipped', async () => {
  const { respond } = fakeProvider(() => 503)
  await openRelay(respond, 1)
  await relay.addChannel({ base_url: 'http://one.test', priority: 9 })
  await relay.addChannel({ base_url: 'http://two.test', model_mapping: '{"lab":"a","a":"lab"}' })
  const response = await relay.request('/v1/chat/completions', token, BODY)
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('it is 503')
})

test('does not count the time for fetching images as a stall of the channel', async () => {
  const gate = Promise.withResolvers<void>()
  const imageServer = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => gate.promise.then(() => new Response('none', { status: 404 })),
  })
  await openRelay(async () =>
    Response.json({ model: 'lab', message: { role: 'assistant', content: 'yes' }, done: true }),
  )
  await relay.addChannel({ type: OLLAMA })
  expect(await requestChat()).toBe(200)
  const image = { type: 'image_url', image_url: { url: `http://127.0.0.1:${imageServer.port}/a.png` } }
  const responses = Array.from({ length: 3 }, () =>
    relay.request('/v1/chat/completions', token, { ...BODY, messages: [{ role: 'user', content: [image] }] }),
  )
  await Bun.sleep(1200)
  const { candidates } = previewRoute(relay.context, { group: 'default', model: 'lab' })
  gate.resolve()
  await Promise.all(responses)
  await imageServer.stop(true)
  expect(candidates.map(({ skipReason }) => skipReason)).toEqual([undefined])
})

test('admits the next probe when a streamed probe begins and closes the circuit when either succeeds', async () => {
  const gate = Promise.withResolvers<void>()
  let isHealthy = false
  let aheadMs = 0
  restoreClock = setClock({ nowMs: Date.now, elapsedMs: () => performance.now() + aheadMs })
  await openRelay(async request => {
    const { stream } = await request.json()
    if (!isHealthy) return Response.json({ error: { message: 'no' } }, { status: 500 })
    return stream ? gatedStream(gate.promise) : Response.json(REPLY)
  })
  await relay.addChannel()
  const skipReason = () =>
    previewRoute(relay.context, { group: 'default', model: 'lab' }).candidates[0]?.skipReason
  for (let count = 0; count < 5; count += 1) await requestChat()
  expect(skipReason()).toBe('circuit open')
  isHealthy = true
  aheadMs = 5_000
  const probe = await relay.request('/v1/chat/completions', token, { ...BODY, stream: true })
  expect(skipReason()).toBeUndefined()
  expect(await requestChat()).toBe(200)
  gate.resolve()
  await probe.text()
  expect(skipReason()).toBeUndefined()
})

/** A stream that sends one delta and ends once the gate opens. */
const gatedStream = (gate: Promise<void>): Response =>
  new Response(
    new ReadableStream({
      async start(controller) {
        const encoder = new TextEncoder()
        controller.enqueue(encoder.encode('data: {"choices":[{"index":0,"delta":{"content":"so"}}]}\n\n'))
        await gate
        controller.enqueue(
          encoder.encode(
            'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
          ),
        )
        controller.close()
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )

test('gives up a stream of empty events before it fills the memory', async () => {
  const empty = `data: {"choices":[],"padding":"${'x'.repeat(MIB)}"}\n\n`
  let left = 100
  const emptyEvents = () =>
    new ReadableStream({
      pull(controller) {
        left -= 1
        const text = left > 0 ? empty : 'data: {"choices":[{"index":0,"delta":{"content":"so"}}]}\n\n'
        controller.enqueue(new TextEncoder().encode(text))
        if (left <= 0) controller.close()
      },
    })
  await openRelay(
    async () => new Response(emptyEvents(), { headers: { 'content-type': 'text/event-stream' } }),
  )
  await relay.addChannel()
  const response = await relay.request('/v1/chat/completions', token, { ...BODY, stream: true })
  expect(response.status).toBe(502)
  expect(left).toBeGreaterThan(0)
})

test('rejects a streamed response to a JSON request above the size limit', async () => {
  const piece = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(MIB)}"}}]}\n\n`
  let left = 150
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        left -= 1
        const last = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        controller.enqueue(new TextEncoder().encode(left > 0 ? piece : last))
        if (left <= 0) controller.close()
      },
    })
  await openRelay(async () => new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }))
  await relay.addChannel()
  expect(await requestChat()).toBe(502)
  expect(left).toBeGreaterThan(0)
})

test('keeps a session on the channel that served it', async () => {
  const { calls, respond } = fakeProvider(() => 200)
  await openRelay(respond)
  for (const host of ['one', 'two', 'three']) await relay.addChannel({ base_url: `http://${host}.test` })
  for (let count = 0; count < 12; count += 1)
    await (await relay.request('/v1/chat/completions', token, { ...BODY, user: 'someone' })).text()
  expect(new Set(calls.map(({ host }) => host)).size).toBe(1)
  for (let count = 0; count < 40; count += 1) await requestChat()
  expect(new Set(calls.map(({ host }) => host)).size).toBe(3)
})

const CLAUDE_CODE_USER = `user_${'a1'.repeat(32)}_account_${crypto.randomUUID()}_session_${crypto.randomUUID()}`

test.each([
  ['prompt_cache_key', '/v1/chat/completions', { prompt_cache_key: 'p' }, {}],
  ['safety_identifier', '/v1/chat/completions', { safety_identifier: 's' }, {}],
  [
    'a user id as long as those of Claude Code',
    '/v1/messages',
    { metadata: { user_id: CLAUDE_CODE_USER } },
    {},
  ],
  ['a user id of 5,000 characters', '/v1/chat/completions', { user: 'u'.repeat(5_000) }, {}],
  [
    "the prompt's cache key in the Responses API",
    '/v1/responses',
    { prompt_cache_key: 'p', input: 'hi' },
    {},
  ],
  ["Codex's header", '/v1/responses', { input: 'hi' }, { 'session-id': 'c' }],
  ["Claude Code's header", '/v1/messages', {}, { 'x-claude-code-session-id': 'c' }],
])('keeps a session on one key of one channel by %s', async (_, path, marks, headers) => {
  const { calls, respond } = fakeProvider(() => 200)
  await openRelay(respond)
  for (const host of ['one', 'two', 'three'])
    await relay.addChannel({
      base_url: `http://${host}.test`,
      type: OPENAI_COMPATIBLE,
      ...channelWithKeys('a', 'b'),
    })
  const { messages, ...rest } = BODY
  const body = path === '/v1/responses' ? rest : { ...rest, messages, max_tokens: 5 }
  for (let count = 0; count < 12; count += 1)
    await (await relay.request(path, token, { ...body, ...marks }, headers)).text()
  expect(calls).toHaveLength(12)
  expect(new Set(calls.map(({ host, key }) => `${host} ${key}`)).size).toBe(1)
})

const TOOL = { name: 'f', description: 'f', parameters: { type: 'object' } }
const CONVERSATIONS = [
  [
    '/v1/chat/completions',
    (text: string, turns: number) => ({
      ...BODY,
      messages: [
        { role: 'system', content: `at ${turns}` },
        { role: 'user', content: text },
        ...Array.from({ length: turns }, () => ({ role: 'assistant', content: 'next' })),
      ],
      tools: [{ type: 'function', function: TOOL }],
    }),
  ],
  [
    '/v1/messages',
    (text: string, turns: number) => ({
      model: 'lab',
      max_tokens: 5,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: `context of start ${turns}` },
            { type: 'text', text },
          ],
        },
        ...Array.from({ length: turns }, () => ({ role: 'assistant', content: 'next' })),
      ],
      tools: [{ name: 'f', input_schema: TOOL.parameters }],
    }),
  ],
  [
    '/v1/responses',
    (text: string, turns: number) => ({
      model: 'lab',
      input: [
        { role: 'developer', content: `at ${turns}` },
        { role: 'user', content: [{ type: 'input_text', text }] },
        ...Array.from({ length: turns }, () => ({ role: 'assistant', content: 'next' })),
      ],
      tools: [{ type: 'function', ...TOOL }],
    }),
  ],
  [
    '/v1beta/models/lab:generateContent',
    (text: string, turns: number) => ({
      contents: [
        { parts: [{ text: 'context' }, { text }] },
        ...Array.from({ length: turns }, () => ({ role: 'model', parts: [{ text: 'next' }] })),
      ],
      tools: [{ functionDeclarations: [TOOL] }],
    }),
  ],
] as const

test.each(CONVERSATIONS)(
  'keeps a conversation of %s with tools on one account by its first message when it names no session',
  async (path, bodyOf) => {
    const { calls, respond } = fakeProvider(() => 200)
    await openRelay(respond)
    for (const host of ['one', 'two', 'three'])
      await relay.addChannel({
        base_url: `http://${host}.test`,
        type: OPENAI_COMPATIBLE,
        ...channelWithKeys('a', 'b'),
      })
    const converse = async (text: string) => {
      const start = calls.length
      for (let turns = 0; turns < 8; turns += 1)
        await (await relay.request(path, token, bodyOf(text, turns))).text()
      const accounts = calls.slice(start).map(({ host, key }) => `${host} ${key}`)
      expect(accounts).toHaveLength(8)
      return new Set(accounts)
    }
    const found = new Set<string>()
    for (let count = 0; count < 20; count += 1) {
      const accounts = await converse(`${'long '.repeat(999)} question ${count}`)
      expect(accounts.size).toBe(1)
      for (const account of accounts) found.add(account)
    }
    expect(found.size).toBeGreaterThan(3)
  },
)

test('begins a session at the same account in every process, and sessions everywhere', async () => {
  const { calls, respond } = fakeProvider(() => 200)
  await openRelay(respond)
  for (const host of ['one', 'two', 'three'])
    await relay.addChannel({ base_url: `http://${host}.test`, ...channelWithKeys('a', 'b') })
  const begin = async (session: string) => {
    Object.assign(relay.context, { sessionAffinity: new SessionAffinity() })
    await (await relay.request('/v1/chat/completions', token, { ...BODY, prompt_cache_key: session })).text()
    return `${calls.at(-1)?.host} ${calls.at(-1)?.key}`
  }
  const accounts = new Set<string>()
  for (let count = 0; count < 60; count += 1) {
    const first = await begin(`session ${count}`)
    accounts.add(first)
    expect(await begin(`session ${count}`)).toBe(first)
  }
  expect(accounts.size).toBe(6)
})

test('moves a session to another key while its own rests', async () => {
  let spent = ''
  const { calls, respond } = fakeProvider(({ key }) => (key === spent ? 429 : 200), { 'retry-after': '60' })
  await openRelay(respond)
  await relay.addChannel(channelWithKeys('a', 'b', 'c'))
  const continueSession = async () => {
    await (await relay.request('/v1/chat/completions', token, { ...BODY, user: 'someone' })).text()
    return calls.at(-1)?.key
  }
  const first = await continueSession()
  expect(await continueSession()).toBe(first)
  spent = first ?? ''
  const second = await continueSession()
  expect(second).not.toBe(first)
  for (let count = 0; count < 6; count += 1) expect(await continueSession()).toBe(second)
})

test('records the candidates and their skip reasons in the receipt', async () => {
  const { respond } = fakeProvider(({ host }) => (host === 'bad.test' ? 500 : 200))
  await openRelay(respond, 1)
  await relay.addChannel({ name: 'bad', base_url: 'http://bad.test', priority: 9 })
  await relay.addChannel({ name: 'good', base_url: 'http://good.test' })
  for (let count = 0; count < 6; count += 1) await requestChat()
  const rows = await relay.db.selectFrom('receipts').select('body').orderBy('log_id', 'desc').execute()
  expect(JSON.parse(rows[0]?.body ?? '')).toMatchObject({
    attempts: [{ channel_name: 'good', status: 200 }],
    candidates: [
      { channel_name: 'good', priority: 0, weight: 0 },
      { channel_name: 'bad', priority: 9, weight: 0, obstacle: 'circuit open' },
    ],
  })
  expect(JSON.parse(rows.at(-1)?.body ?? '')).toMatchObject({
    attempts: [
      { channel_name: 'bad', status: 500 },
      { channel_name: 'good', status: 200 },
    ],
  })
})

test('previews order, chances and model names without calling a provider', async () => {
  const { calls, respond } = fakeProvider(() => 200)
  await openRelay(respond)
  await relay.addChannel({ name: 'one', weight: 20, model_mapping: '{"lab":"lab-2"}' })
  await relay.addChannel({ name: 'two', weight: 0 })
  await relay.addChannel({ name: 'three', priority: -1 })
  const { candidates, error } = previewRoute(relay.context, { group: 'default', model: 'lab' })
  expect(error).toBeUndefined()
  expect(
    Object.fromEntries(candidates.map(one => [one.channelName, [one.chance, one.upstreamModel]])),
  ).toEqual({
    one: [0.75, 'lab-2'],
    two: [0.25, 'lab'],
    three: [0, 'lab'],
  })
  expect(previewRoute(relay.context, { group: 'default', model: 'none' }).error?.code).toBe('model_not_found')
  expect(calls).toEqual([])
})

test('previews no chance for a channel with a circular model mapping', async () => {
  const { calls, respond } = fakeProvider(() => 200)
  await openRelay(respond)
  await relay.addChannel({ name: 'circle', priority: 9, model_mapping: '{"lab":"a","a":"lab"}' })
  await relay.addChannel({ name: 'plain', base_url: 'http://plain.test' })
  const { candidates } = previewRoute(relay.context, { group: 'default', model: 'lab' })
  expect(candidates.map(one => [one.channelName, one.chance, one.skipReason])).toEqual([
    ['circle', 0, 'circular mapping'],
    ['plain', 1, undefined],
  ])
  expect(await requestChat()).toBe(200)
  expect(calls.map(({ host }) => host)).toEqual(['plain.test'])
})

test('previews the limit of each channel when all are busy', async () => {
  const gate = Promise.withResolvers<void>()
  let callCount = 0
  await openRelay(async () => {
    callCount += 1
    await gate.promise
    return Response.json(REPLY)
  })
  await relay.addChannel({ name: 'one', priority: 9, setting: '{"max_concurrency":1}' })
  await relay.addChannel({ name: 'two', setting: '{"max_concurrency":1}' })
  const running = [requestChat(), requestChat()]
  while (callCount < 2) await Bun.sleep(1)
  const { candidates, error } = previewRoute(relay.context, { group: 'default', model: 'lab' })
  expect(error?.code).toBe('too_many_requests')
  expect(candidates.map(one => [one.channelName, one.skipReason, one.chance])).toEqual([
    ['one', 'concurrency limit', 0],
    ['two', 'concurrency limit', 0],
  ])
  gate.resolve()
  await Promise.all(running)
})

test('previews an unhealthy channel as first choice rather than one at its limit', async () => {
  const gate = Promise.withResolvers<void>()
  const { calls, respond } = fakeProvider(({ host }) => (host === 'bad.test' ? 500 : 200))
  await openRelay(async request => {
    const response = await respond(request)
    if (response.status === 200) await gate.promise
    return response
  })
  await relay.addChannel({ name: 'bad', base_url: 'http://bad.test' })
  for (let count = 0; count < 5; count += 1) await requestChat()
  await relay.addChannel({ name: 'full', priority: 9, setting: '{"max_concurrency":1}' })
  const running = requestChat()
  while (calls.length < 6) await Bun.sleep(1)
  const { candidates } = previewRoute(relay.context, { group: 'default', model: 'lab' })
  expect(candidates.map(one => [one.channelName, one.skipReason, one.chance])).toEqual([
    ['full', 'concurrency limit', 0],
    ['bad', 'circuit open', 1],
  ])
  gate.resolve()
  await running
})

test('ends a stream of keep-alives and charges what came before', async () => {
  const lines = ['data: {"choices":[{"index":0,"delta":{"content":"so"}}]}\n\n']
  const send: Send = async () =>
    receivedResponse(
      new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(5)
            controller.enqueue(new TextEncoder().encode(lines.shift() ?? ': alive\n\n'))
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
    )
  relay = await TestRelay.open({ send, timeouts: { noOutputMs: 60 } })
  token = await relay.addToken()
  await relay.addChannel()
  const response = await relay.request('/v1/chat/completions', token, { ...BODY, stream: true })
  expect(await response.text()).toContain('upstream_timeout')
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  expect(quota).toBeGreaterThan(0)
})

test('ends an endless audio response', async () => {
  let chunks = 0
  const endlessAudio = () =>
    new ReadableStream({
      async pull(controller) {
        chunks += 1
        await Bun.sleep(5)
        if (chunks > 200) controller.close()
        else controller.enqueue(new Uint8Array(10))
      },
    })
  const send: Send = async () =>
    receivedResponse(new Response(endlessAudio(), { headers: { 'content-type': 'audio/mpeg' } }))
  relay = await TestRelay.open({ send, timeouts: { streamMs: 60 } })
  token = await relay.addToken()
  await relay.addChannel()
  const response = await relay.request('/v1/audio/speech', token, {
    model: 'lab',
    input: 'la',
    voice: 'alloy',
  })
  await expect(response.bytes()).rejects.toMatchObject({ code: 'upstream_timeout' })
  expect(chunks).toBeLessThan(200)
})

test('serves the other models of a channel whose mapping has an entry that cannot be read', async () => {
  const { calls, respond } = fakeProvider(() => 200)
  const prices = testPrices({ ModelRatio: { lab: 1, other: 1 }, GroupRatio: { default: 1 } })
  relay = await TestRelay.open({ send: sendTo(respond), prices })
  token = await relay.addToken()
  const model_mapping = '{"lab":7,"other":"behind"}'
  await relay.addChannel({ models: 'lab,other', model_mapping, status_code_mapping: '{"400":"x"}' })
  const ask = (model: string) => relay.request('/v1/chat/completions', token, { ...BODY, model })
  expect((await ask('other')).status).toBe(200)
  expect((await ask('lab')).status).toBe(404)
  expect(calls).toHaveLength(1)
})
