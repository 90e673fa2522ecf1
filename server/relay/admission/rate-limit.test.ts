import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { type Admission, admitFurther } from './admit.ts'

const body = { model: 'lab', messages: [{ role: 'user', content: 'hello' }] }

let now: number
let restore: () => void
const opened: TestRelay[] = []
beforeEach(() => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => performance.now() })
})
afterEach(async () => {
  restore()
  for (const relay of opened.splice(0)) await relay.close()
})

interface Rate {
  readonly requests?: number
  readonly successes?: number
}

async function open({ requests = 0, successes = 1000 }: Rate) {
  const relay = await TestRelay.open({
    options: {
      ModelRequestRateLimitEnabled: true,
      ModelRequestRateLimitCount: requests,
      ModelRequestRateLimitSuccessCount: successes,
    },
  })
  opened.push(relay)
  await relay.addChannel()
  const key = await relay.addToken()
  const ask = (sent: object = body, path = '/v1/chat/completions') => relay.request(path, key, sent)
  return {
    relay,
    key,
    ask,
    statuses: async (count: number, sent?: object) => statusesOf(count, () => ask(sent)),
  }
}

async function statusesOf(count: number, ask: () => Promise<Response>): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, ask))
  await Promise.all(responses.map(response => response.text()))
  return responses.map(({ status }) => status).sort()
}

describe('the request limit of a user', () => {
  test('applies across tokens and resets after the window', async () => {
    const { statuses, relay } = await open({ requests: 3 })
    expect(await statuses(5)).toEqual([200, 200, 200, 429, 429])
    const otherKey = await relay.addToken()
    expect((await relay.request('/v1/chat/completions', otherKey, body)).status).toBe(429)
    now += 61_000
    expect(await statuses(1)).toEqual([200])
  })

  test('counts failed requests', async () => {
    const { statuses } = await open({ requests: 2 })
    expect(await statuses(3, { messages: [] })).toEqual([400, 400, 429])
    expect(await statuses(1)).toEqual([429])
  })

  test('rejects in the client’s dialect with retry-after and charges nothing', async () => {
    const { ask, relay } = await open({ requests: 1 })
    await (await ask()).text()
    const before = await relay.db.selectFrom('users').select('quota').executeTakeFirstOrThrow()
    const openai = await ask()
    expect(Number(openai.headers.get('retry-after'))).toBeWithin(60, 62)
    expect(await openai.json()).toMatchObject({ error: { code: 'too_many_requests' } })
    const anthropic = await ask({ ...body, max_tokens: 5 }, '/v1/messages')
    expect(anthropic.headers.get('retry-after')).toBe(openai.headers.get('retry-after'))
    expect(await anthropic.json()).toMatchObject({ type: 'error' })
    expect(await relay.db.selectFrom('users').select('quota').executeTakeFirstOrThrow()).toEqual(before)
  })
})

describe('the success limit of a user', () => {
  test('holds for concurrent requests', async () => {
    const { statuses } = await open({ successes: 4 })
    expect((await statuses(20)).filter(status => status === 200)).toHaveLength(4)
  })

  test('reports the remaining requests in headers', async () => {
    const { ask } = await open({ successes: 3 })
    const responses = [await ask(), await ask()]
    await Promise.all(responses.map(response => response.text()))
    expect(responses.map(({ headers }) => headers.get('x-ratelimit-remaining-requests'))).toEqual(['2', '1'])
    expect(responses[0]?.headers.get('x-ratelimit-limit-requests')).toBe('3')
  })

  test('does not count failed requests', async () => {
    const { statuses } = await open({ successes: 2 })
    expect(await statuses(1, { ...body, model: 'unknown' })).toEqual([404])
    expect(await statuses(1, { messages: [] })).toEqual([400])
    expect(await statuses(1)).toEqual([200])
    expect(await statuses(1)).toEqual([200])
    expect(await statuses(1)).toEqual([429])
  })

  test('does not count model list queries', async () => {
    const { relay, key, statuses } = await open({ successes: 1, requests: 1 })
    for (let i = 0; i < 3; i += 1)
      expect((await relay.request('/v1/models', key, undefined)).status).toBe(200)
    expect(await statuses(1)).toEqual([200])
  })
})

describe('a token with its own limits', () => {
  const openWith = async (columns: Readonly<Record<string, number>>, options = {}) => {
    const relay = await TestRelay.open({ options })
    opened.push(relay)
    await relay.addChannel()
    return { relay, key: await relay.addToken({ columns }), other: await relay.addToken() }
  }

  test('is limited in requests per minute independently of other tokens', async () => {
    const { relay, key, other } = await openWith({ requests_per_minute: 2 })
    const ask = (tokenKey: string) => () => relay.request('/v1/chat/completions', tokenKey, body)
    expect(await statusesOf(4, ask(key))).toEqual([200, 200, 429, 429])
    expect(await statusesOf(3, ask(other))).toEqual([200, 200, 200])
    const drawing = await relay.request('/mj/submit/imagine', key, { prompt: 'a gate' })
    expect([drawing.status, drawing.headers.get('retry-after')]).toEqual([429, '61'])
    now += 61_000
    expect(await statusesOf(1, ask(key))).toEqual([200])
  })

  test('is limited in concurrent requests, where an open stream counts until it ends', async () => {
    const { relay, key, other } = await openWith({ max_concurrency: 1 })
    const stream = await relay.request('/v1/chat/completions', key, { ...body, stream: true })
    const before = await relay.db.selectFrom('postings').select('id').execute()
    const rejected = await relay.request('/v1/messages', key, { ...body, max_tokens: 5 })
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await rejected.json()).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', message: expect.stringContaining('the token is limited') },
    })
    expect(await relay.db.selectFrom('postings').select('id').execute()).toEqual(before)
    expect(await statusesOf(1, () => relay.request('/v1/chat/completions', other, body))).toEqual([200])
    await stream.text()
    expect(await statusesOf(1, () => relay.request('/v1/chat/completions', key, body))).toEqual([200])
  })

  test('shares the concurrency limit of its owner with other tokens', async () => {
    const { relay, key, other } = await openWith({}, { UserConcurrencyLimit: 1 })
    const stream = await relay.request('/v1/chat/completions', key, { ...body, stream: true })
    expect(await statusesOf(1, () => relay.request('/v1/chat/completions', other, body))).toEqual([429])
    await stream.text()
    expect(await statusesOf(1, () => relay.request('/v1/chat/completions', other, body))).toEqual([200])
  })
})

describe('two admissions', () => {
  const record = (calls: string[], name: string): Admission => ({
    async complete(response) {
      calls.push(`complete ${name}`)
      return response
    },
    async cancel() {
      calls.push(`cancel ${name}`)
    },
  })

  test('end together', async () => {
    const calls: string[] = []
    const admit = () => admitFurther(record(calls, 'first'), Promise.resolve(record(calls, 'second')))
    await (await admit()).complete(new Response())
    await (await admit()).cancel()
    expect(calls).toEqual(['complete first', 'complete second', 'cancel first', 'cancel second'])
  })

  test('leave nothing counted when the second is rejected', async () => {
    const calls: string[] = []
    const rejected = Promise.reject(new Error('over budget'))
    await expect(admitFurther(record(calls, 'first'), rejected)).rejects.toThrow('over budget')
    expect(calls).toEqual(['cancel first'])
  })
})

test('limits balance queries to 180 in three minutes', async () => {
  const relay = await TestRelay.open()
  opened.push(relay)
  const key = await relay.addToken()
  const ask = () => relay.request('/v1/dashboard/billing/subscription', key, undefined)
  const statuses = await statusesOf(200, ask)
  expect(statuses.filter(status => status === 200)).toHaveLength(180)
})

test('limits calls that reach no model to 1,200 in a minute', async () => {
  const relay = await TestRelay.open()
  opened.push(relay)
  const key = await relay.addToken()
  const lookups = { name: 'lookups', limit: 1_200, windowMs: 60_000 }
  for (let count = 1; count < 1_200; count += 1)
    await relay.context.rateLimiter.take(lookups, `user ${relay.userId}`)
  const ask = () => relay.request('/v1/models', key, undefined)
  expect(await statusesOf(3, ask)).toEqual([200, 429, 429])
})
