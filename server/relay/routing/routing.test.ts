import { afterEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { MIB } from '../../core/limits.ts'
import { answerWith } from '../../testing/answer-with.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { testChannel } from '../test-channel.ts'
import type { Send } from '../upstream/send.ts'
import { previewRoute } from './preview.ts'

const OLLAMA = 4

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

interface Asked {
  readonly key: string
  readonly host: string
}

/** A vendor that answers by key or host: a status, or the reply. Says who was asked with what. */
function vendor(statusOf: (asked: Asked) => number, headers: Record<string, string> = {}) {
  const asked: Asked[] = []
  const answer = async (request: Request) => {
    const call = {
      key: (request.headers.get('authorization') ?? '').replace('Bearer ', ''),
      host: new URL(request.url).hostname,
    }
    asked.push(call)
    const status = statusOf(call)
    return status === 200
      ? Response.json(REPLY)
      : Response.json({ error: { message: `it is ${status}`, code: 'c' } }, { status, headers })
  }
  return { asked, answer }
}

const sendTo =
  (answer: (request: Request) => Promise<Response>): Send =>
  async ({ url, headers, body }) =>
    answerWith(await answer(new Request(url, { method: 'POST', headers, body: body ?? null })))

const severalKeys = (...keys: string[]) => ({
  key_sealed: relay.seal(keys.join('\n')),
  setting: '{"several_keys":true}',
})

async function ask(): Promise<number> {
  const response = await relay.ask('/v1/chat/completions', token, BODY)
  await response.text()
  return response.status
}

let token: string

async function open(answer: (request: Request) => Promise<Response>, retryTimes = 0): Promise<void> {
  relay = await TestRelay.open({
    send: sendTo(answer),
    settings: { retryTimes, isAutomaticDisableEnabled: true },
  })
  token = await relay.addToken()
}

const statusOfChannel = async (id: number) =>
  (await relay.db.selectFrom('channels').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status

test('a refused key is followed by the next of the same channel, without RetryTimes, and rests from then on', async () => {
  const { asked, answer } = vendor(({ key }) => (key === 'dead' ? 401 : 200))
  await open(answer)
  const id = await relay.addChannel(severalKeys('dead', 'good'))
  const statuses = []
  for (let count = 0; count < 20; count += 1) statuses.push(await ask())
  expect(statuses).toEqual(Array(20).fill(200))
  expect(asked.filter(({ key }) => key === 'dead').length).toBeLessThanOrEqual(1)
  expect(await statusOfChannel(id)).toBe(1)
})

test('the keys of a channel share the work', async () => {
  const { asked, answer } = vendor(() => 200)
  await open(answer)
  await relay.addChannel(severalKeys('a', 'b', 'c'))
  for (let count = 0; count < 60; count += 1) await ask()
  expect(new Set(asked.map(({ key }) => key))).toEqual(new Set(['a', 'b', 'c']))
})

test('a channel is disabled when the last of its keys is refused', async () => {
  const { answer } = vendor(() => 401)
  await open(answer)
  const id = await relay.addChannel(severalKeys('a', 'b'))
  expect(await ask()).toBe(401)
  expect(await statusOfChannel(id)).toBe(3)
})

test('a channel of which one key is refused and the others have had enough stays, and is disabled with its last', async () => {
  const dead = new Set(['dead'])
  const { answer } = vendor(({ key }) => (dead.has(key) ? 401 : 429), { 'retry-after': '60' })
  await open(answer)
  const id = await relay.addChannel(severalKeys('dead', 'busy'))
  for (let count = 0; count < 6; count += 1) expect([401, 429]).toContain(await ask())
  expect(await statusOfChannel(id)).toBe(1)
  dead.add('busy')
  await ask()
  expect(await statusOfChannel(id)).toBe(3)
})

test('a key of which a keyword says that it is spent rests as a refused one does, and the last takes its channel along', async () => {
  const poor = new Set(['poor'])
  const asked: string[] = []
  relay = await TestRelay.open({
    send: sendTo(async request => {
      const key = (request.headers.get('authorization') ?? '').replace('Bearer ', '')
      asked.push(key)
      return poor.has(key)
        ? Response.json({ error: { message: 'Your credit balance is too low' } }, { status: 400 })
        : Response.json(REPLY)
    }),
    settings: { isAutomaticDisableEnabled: true, automaticDisableKeywords: ['credit balance is too low'] },
  })
  token = await relay.addToken()
  const id = await relay.addChannel(severalKeys('poor', 'good'))
  for (let count = 0; count < 20; count += 1) await ask()
  expect(asked.filter(key => key === 'poor').length).toBeLessThanOrEqual(1)
  poor.add('good')
  await ask()
  expect(await statusOfChannel(id)).toBe(3)
})

test('a keyword that the client itself said, and the vendor quotes, takes no channel out', async () => {
  await open(async request => {
    const { service_tier } = await request.json()
    return Response.json({ error: { message: `Invalid value: '${service_tier}'.` } }, { status: 400 })
  })
  Object.assign(relay.gateway.settings.current(), { automaticDisableKeywords: ['permission "is" denied'] })
  const id = await relay.addChannel()
  const askFor = (tier: string) => relay.ask('/v1/chat/completions', token, { ...BODY, service_tier: tier })
  expect((await askFor('Permission "is" Denied')).status).toBe(400)
  expect(await statusOfChannel(id)).toBe(1)
})

test.each([
  [401, '{"401":"500"}', 500, 1],
  [500, '{"500":"401"}', 401, 3],
])(
  'whether %d means a refused key is for the status after %s to say',
  async (said, mapping, shown, status) => {
    const { answer } = vendor(() => said)
    await open(answer)
    const id = await relay.addChannel({ status_code_mapping: mapping })
    expect(await ask()).toBe(shown)
    expect(await statusOfChannel(id)).toBe(status)
  },
)

test('a key that was refused is used again once a test finds it good, without waiting for the end of its rest', async () => {
  let isPaid = false
  const { asked, answer } = vendor(({ host }) => (host === 'unpaid.test' && !isPaid ? 402 : 200))
  await open(answer)
  const id = await relay.addChannel({ base_url: 'http://unpaid.test', priority: 9 })
  await relay.addChannel({ base_url: 'http://other.test' })
  await ask()
  expect(await statusOfChannel(id)).toBe(3)
  isPaid = true
  await relay.db.updateTable('channels').set({ status: 1 }).execute()
  await relay.gateway.channels.refresh()
  await ask()
  expect(asked.at(-1)?.host).toBe('other.test')
  expect(await testChannel(relay.gateway, id, { model: '', isStream: false })).toMatchObject({ ok: true })
  await ask()
  expect(asked.at(-1)?.host).toBe('unpaid.test')
})

test('a key that has had enough rests as long as the vendor says', async () => {
  const { asked, answer } = vendor(({ key }) => (key === 'spent' ? 429 : 200), { 'retry-after': '60' })
  await open(answer)
  await relay.addChannel(severalKeys('spent', 'fresh'))
  for (let count = 0; count < 20; count += 1) expect(await ask()).toBe(200)
  expect(asked.filter(({ key }) => key === 'spent').length).toBeLessThanOrEqual(1)
})

test('after five failures a channel is asked only when no other is left', async () => {
  const { asked, answer } = vendor(({ host }) => (host === 'bad.test' ? 503 : 200))
  await open(answer, 1)
  await relay.addChannel({ base_url: 'http://bad.test', priority: 9 })
  await relay.addChannel({ base_url: 'http://good.test' })
  for (let count = 0; count < 20; count += 1) expect(await ask()).toBe(200)
  expect(asked.filter(({ host }) => host === 'bad.test')).toHaveLength(5)
})

test('a bad request of a client says nothing against a channel', async () => {
  const { asked, answer } = vendor(() => 400)
  await open(answer)
  await relay.addChannel()
  for (let count = 0; count < 20; count += 1) expect(await ask()).toBe(400)
  expect(asked).toHaveLength(20)
  expect(
    previewRoute(relay.gateway, { group: 'default', model: 'lab' }).candidates[0]?.obstacle,
  ).toBeUndefined()
})

test('a channel with room for one call gives the second to another, and is free again after its answer', async () => {
  const gate = Promise.withResolvers<void>()
  const hosts: string[] = []
  await open(async request => {
    hosts.push(new URL(request.url).hostname)
    await gate.promise
    return Response.json(REPLY)
  })
  await relay.addChannel({ base_url: 'http://one.test', priority: 9, setting: '{"max_concurrency":1}' })
  await relay.addChannel({ base_url: 'http://two.test', setting: '{"max_concurrency":1}' })
  const running = [ask(), ask()]
  while (hosts.length < 2) await Bun.sleep(1)
  expect(hosts.toSorted()).toEqual(['one.test', 'two.test'])
  expect(await ask()).toBe(429)
  gate.resolve()
  expect(await Promise.all(running)).toEqual([200, 200])
  expect(await ask()).toBe(200)
  expect(hosts.at(-1)).toBe('one.test')
})

test('a channel with a limit for each minute is not asked beyond it, and nothing is charged for the refusal', async () => {
  const { asked, answer } = vendor(() => 200)
  await open(answer)
  await relay.addChannel({ setting: '{"requests_per_minute":3}' })
  const statuses = []
  for (let count = 0; count < 8; count += 1) statuses.push(await ask())
  expect(asked.length).toBeGreaterThanOrEqual(3)
  expect(asked.length).toBeLessThanOrEqual(6)
  expect(statuses.filter(status => status === 200)).toHaveLength(asked.length)
  expect(statuses.filter(status => status === 429)).toHaveLength(8 - asked.length)
})

test('a channel that cannot do what is asked loses nothing of its limit for each minute by it', async () => {
  const { asked, answer } = vendor(() => 200)
  await open(answer)
  await relay.addChannel({ setting: '{"requests_per_minute":1}' })
  const question = { model: 'lab', query: 'a', documents: ['b'] }
  for (let count = 0; count < 9; count += 1)
    expect((await relay.ask('/v1/rerank', token, question)).status).toBe(503)
  expect(await ask()).toBe(200)
  expect(asked).toHaveLength(1)
})

test('what a vendor said is answered, not why the channels after it were passed over', async () => {
  const { answer } = vendor(() => 503)
  await open(answer, 1)
  await relay.addChannel({ base_url: 'http://one.test', priority: 9 })
  await relay.addChannel({ base_url: 'http://two.test', model_mapping: '{"lab":"a","a":"lab"}' })
  const response = await relay.ask('/v1/chat/completions', token, BODY)
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('it is 503')
})

test('while pictures are fetched for a vendor it is not suspected of silence', async () => {
  const gate = Promise.withResolvers<void>()
  const pictures = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => gate.promise.then(() => new Response('none', { status: 404 })),
  })
  await open(async () =>
    Response.json({ model: 'lab', message: { role: 'assistant', content: 'yes' }, done: true }),
  )
  await relay.addChannel({ type: OLLAMA })
  expect(await ask()).toBe(200)
  const picture = { type: 'image_url', image_url: { url: `http://127.0.0.1:${pictures.port}/a.png` } }
  const asking = Array.from({ length: 3 }, () =>
    relay.ask('/v1/chat/completions', token, { ...BODY, messages: [{ role: 'user', content: [picture] }] }),
  )
  await Bun.sleep(1200)
  const { candidates } = previewRoute(relay.gateway, { group: 'default', model: 'lab' })
  gate.resolve()
  await Promise.all(asking)
  await pictures.stop(true)
  expect(candidates.map(({ obstacle }) => obstacle)).toEqual([undefined])
})

test('a stream that answers as a probe makes room for the next, and a good end of either closes the circuit', async () => {
  const gate = Promise.withResolvers<void>()
  let isWell = false
  let aheadMs = 0
  restoreClock = setClock({ nowMs: Date.now, elapsedMs: () => performance.now() + aheadMs })
  await open(async request => {
    const { stream } = await request.json()
    if (!isWell) return Response.json({ error: { message: 'no' } }, { status: 500 })
    return stream ? openStream(gate.promise) : Response.json(REPLY)
  })
  await relay.addChannel()
  const obstacle = () =>
    previewRoute(relay.gateway, { group: 'default', model: 'lab' }).candidates[0]?.obstacle
  for (let count = 0; count < 5; count += 1) await ask()
  expect(obstacle()).toBe('circuit open')
  isWell = true
  aheadMs = 5_000
  const probe = await relay.ask('/v1/chat/completions', token, { ...BODY, stream: true })
  expect(obstacle()).toBeUndefined()
  expect(await ask()).toBe(200)
  gate.resolve()
  await probe.text()
  expect(obstacle()).toBeUndefined()
})

/** A stream that says something, and the rest when it may. */
const openStream = (gate: Promise<void>): Response =>
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

test('a stream that says much and answers nothing is given up before it fills the memory', async () => {
  const empty = `data: {"choices":[],"padding":"${'x'.repeat(MIB)}"}\n\n`
  let left = 100
  const babbling = () =>
    new ReadableStream({
      pull(controller) {
        left -= 1
        const text = left > 0 ? empty : 'data: {"choices":[{"index":0,"delta":{"content":"so"}}]}\n\n'
        controller.enqueue(new TextEncoder().encode(text))
        if (left <= 0) controller.close()
      },
    })
  await open(async () => new Response(babbling(), { headers: { 'content-type': 'text/event-stream' } }))
  await relay.addChannel()
  const response = await relay.ask('/v1/chat/completions', token, { ...BODY, stream: true })
  expect(response.status).toBe(502)
  expect(left).toBeGreaterThan(0)
})

test('a whole answer that comes as a stream is refused beyond what one may hold', async () => {
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
  await open(async () => new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }))
  await relay.addChannel()
  expect(await ask()).toBe(502)
  expect(left).toBeGreaterThan(0)
})

test('a session stays with the channel that answered it', async () => {
  const { asked, answer } = vendor(() => 200)
  await open(answer)
  for (const host of ['one', 'two', 'three']) await relay.addChannel({ base_url: `http://${host}.test` })
  for (let count = 0; count < 12; count += 1)
    await (await relay.ask('/v1/chat/completions', token, { ...BODY, user: 'someone' })).text()
  expect(new Set(asked.map(({ host }) => host)).size).toBe(1)
  for (let count = 0; count < 40; count += 1) await ask()
  expect(new Set(asked.map(({ host }) => host)).size).toBe(3)
})

test('the receipt tells who could have answered and what spoke against them', async () => {
  const { answer } = vendor(({ host }) => (host === 'bad.test' ? 500 : 200))
  await open(answer, 1)
  await relay.addChannel({ name: 'bad', base_url: 'http://bad.test', priority: 9 })
  await relay.addChannel({ name: 'good', base_url: 'http://good.test' })
  for (let count = 0; count < 6; count += 1) await ask()
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

test('a preview tells the order, the chances and the obstacles without asking anybody', async () => {
  const { asked, answer } = vendor(() => 200)
  await open(answer)
  await relay.addChannel({ name: 'one', weight: 20, model_mapping: '{"lab":"lab-2"}' })
  await relay.addChannel({ name: 'two', weight: 0 })
  await relay.addChannel({ name: 'three', priority: -1 })
  const { candidates, refusal } = previewRoute(relay.gateway, { group: 'default', model: 'lab' })
  expect(refusal).toBeUndefined()
  expect(
    Object.fromEntries(candidates.map(one => [one.channelName, [one.chance, one.upstreamModel]])),
  ).toEqual({
    one: [0.75, 'lab-2'],
    two: [0.25, 'lab'],
    three: [0, 'lab'],
  })
  expect(previewRoute(relay.gateway, { group: 'default', model: 'none' }).refusal?.code).toBe(
    'no_available_channel',
  )
  expect(asked).toEqual([])
})

test('a preview gives no chance to a channel whose model mapping runs in a circle, since it is passed over', async () => {
  const { asked, answer } = vendor(() => 200)
  await open(answer)
  await relay.addChannel({ name: 'circle', priority: 9, model_mapping: '{"lab":"a","a":"lab"}' })
  await relay.addChannel({ name: 'plain', base_url: 'http://plain.test' })
  const { candidates } = previewRoute(relay.gateway, { group: 'default', model: 'lab' })
  expect(candidates.map(one => [one.channelName, one.chance, one.obstacle])).toEqual([
    ['circle', 0, 'circular mapping'],
    ['plain', 1, undefined],
  ])
  expect(await ask()).toBe(200)
  expect(asked.map(({ host }) => host)).toEqual(['plain.test'])
})

test('a preview of a request that every channel is too busy for names each of them and what speaks against it', async () => {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  await open(async () => {
    asked += 1
    await gate.promise
    return Response.json(REPLY)
  })
  await relay.addChannel({ name: 'one', priority: 9, setting: '{"max_concurrency":1}' })
  await relay.addChannel({ name: 'two', setting: '{"max_concurrency":1}' })
  const running = [ask(), ask()]
  while (asked < 2) await Bun.sleep(1)
  const { candidates, refusal } = previewRoute(relay.gateway, { group: 'default', model: 'lab' })
  expect(refusal?.code).toBe('too_many_requests')
  expect(candidates.map(one => [one.channelName, one.obstacle, one.chance])).toEqual([
    ['one', 'concurrency limit', 0],
    ['two', 'concurrency limit', 0],
  ])
  gate.resolve()
  await Promise.all(running)
})

test('a preview gives the first choice to a channel that is unwell, not to one that is full and would not be asked', async () => {
  const gate = Promise.withResolvers<void>()
  const { asked, answer } = vendor(({ host }) => (host === 'bad.test' ? 500 : 200))
  await open(async request => {
    const answered = await answer(request)
    if (answered.status === 200) await gate.promise
    return answered
  })
  await relay.addChannel({ name: 'bad', base_url: 'http://bad.test' })
  for (let count = 0; count < 5; count += 1) await ask()
  await relay.addChannel({ name: 'full', priority: 9, setting: '{"max_concurrency":1}' })
  const running = ask()
  while (asked.length < 6) await Bun.sleep(1)
  const { candidates } = previewRoute(relay.gateway, { group: 'default', model: 'lab' })
  expect(candidates.map(one => [one.channelName, one.obstacle, one.chance])).toEqual([
    ['full', 'concurrency limit', 0],
    ['bad', 'circuit open', 1],
  ])
  gate.resolve()
  await running
})

test('a stream that only keeps itself alive is ended, and what came before is charged', async () => {
  const lines = ['data: {"choices":[{"index":0,"delta":{"content":"so"}}]}\n\n']
  const send: Send = async () =>
    answerWith(
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
  relay = await TestRelay.open({ send, timeouts: { silentMs: 60 } })
  token = await relay.addToken()
  await relay.addChannel()
  const response = await relay.ask('/v1/chat/completions', token, { ...BODY, stream: true })
  expect(await response.text()).toContain('upstream_timeout')
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  expect(quota).toBeGreaterThan(0)
})

test('sound that does not end is ended, too', async () => {
  let pieces = 0
  const humming = () =>
    new ReadableStream({
      async pull(controller) {
        pieces += 1
        await Bun.sleep(5)
        if (pieces > 200) controller.close()
        else controller.enqueue(new Uint8Array(10))
      },
    })
  const send: Send = async () =>
    answerWith(new Response(humming(), { headers: { 'content-type': 'audio/mpeg' } }))
  relay = await TestRelay.open({ send, timeouts: { streamMs: 60 } })
  token = await relay.addToken()
  await relay.addChannel()
  const response = await relay.ask('/v1/audio/speech', token, { model: 'lab', input: 'la', voice: 'alloy' })
  await expect(response.bytes()).rejects.toMatchObject({ code: 'upstream_timeout' })
  expect(pieces).toBeLessThan(200)
})
