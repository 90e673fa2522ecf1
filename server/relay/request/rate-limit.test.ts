import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import type { RequestRate } from '../types.ts'

const MINUTE_MS = 60_000
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

async function open(rate: Partial<RequestRate>) {
  const requestRate = { windowMs: MINUTE_MS, requests: 0, successes: 1000, ...rate }
  const relay = await TestRelay.open({ settings: { requestRate } })
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
  const answers = await Promise.all(Array.from({ length: count }, ask))
  await Promise.all(answers.map(answer => answer.text()))
  return answers.map(({ status }) => status).sort()
}

describe('requests of any outcome', () => {
  test('are limited by user, and free again after the window', async () => {
    const { statuses, relay } = await open({ requests: 3 })
    expect(await statuses(5)).toEqual([200, 200, 200, 429, 429])
    const otherKey = await relay.addToken()
    expect((await relay.request('/v1/chat/completions', otherKey, body)).status).toBe(429)
    now += 61_000
    expect(await statuses(1)).toEqual([200])
  })

  test('count when they fail, too', async () => {
    const { statuses } = await open({ requests: 2 })
    expect(await statuses(3, { messages: [] })).toEqual([400, 400, 429])
    expect(await statuses(1)).toEqual([429])
  })

  test('are refused in the dialect of the client, with the time to wait, and cost nothing', async () => {
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

describe('requests that succeed', () => {
  test('are limited although many come at once', async () => {
    const { statuses } = await open({ successes: 4 })
    expect((await statuses(20)).filter(status => status === 200)).toHaveLength(4)
  })

  test('are told how many are left', async () => {
    const { ask } = await open({ successes: 3 })
    const answers = [await ask(), await ask()]
    await Promise.all(answers.map(answer => answer.text()))
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining-requests'))).toEqual(['2', '1'])
    expect(answers[0]?.headers.get('x-ratelimit-limit-requests')).toBe('3')
  })

  test('leave room for those that fail', async () => {
    const { statuses } = await open({ successes: 2 })
    expect(await statuses(1, { ...body, model: 'unknown' })).toEqual([503])
    expect(await statuses(1, { messages: [] })).toEqual([400])
    expect(await statuses(1)).toEqual([200])
    expect(await statuses(1)).toEqual([200])
    expect(await statuses(1)).toEqual([429])
  })

  test('do not include the list of models', async () => {
    const { relay, key, statuses } = await open({ successes: 1, requests: 1 })
    for (let i = 0; i < 3; i += 1)
      expect((await relay.request('/v1/models', key, undefined)).status).toBe(200)
    expect(await statuses(1)).toEqual([200])
  })
})

describe('a token with limits of its own', () => {
  const openWith = async (columns: Readonly<Record<string, number>>, settings = {}) => {
    const relay = await TestRelay.open({ settings })
    opened.push(relay)
    await relay.addChannel()
    return { relay, key: await relay.addToken({ columns }), other: await relay.addToken() }
  }

  test('begins so many requests in a minute, whoever else its owner lets call', async () => {
    const { relay, key, other } = await openWith({ requests_per_minute: 2 })
    const ask = (asked: string) => () => relay.request('/v1/chat/completions', asked, body)
    expect(await statusesOf(4, ask(key))).toEqual([200, 200, 429, 429])
    expect(await statusesOf(3, ask(other))).toEqual([200, 200, 200])
    const drawing = await relay.request('/mj/submit/imagine', key, { prompt: 'a gate' })
    expect([drawing.status, drawing.headers.get('retry-after')]).toEqual([429, '61'])
    now += 61_000
    expect(await statusesOf(1, ask(key))).toEqual([200])
  })

  test('has so many under way at once: a stream takes its place until it ends, and a refusal costs nothing', async () => {
    const { relay, key, other } = await openWith({ max_concurrency: 1 })
    const stream = await relay.request('/v1/chat/completions', key, { ...body, stream: true })
    const before = await relay.db.selectFrom('postings').select('id').execute()
    const refused = await relay.request('/v1/messages', key, { ...body, max_tokens: 5 })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', message: expect.stringContaining('the token is limited') },
    })
    expect(await relay.db.selectFrom('postings').select('id').execute()).toEqual(before)
    expect(await statusesOf(1, () => relay.request('/v1/chat/completions', other, body))).toEqual([200])
    await stream.text()
    expect(await statusesOf(1, () => relay.request('/v1/chat/completions', key, body))).toEqual([200])
  })

  test('shares what its owner may have under way with the other tokens', async () => {
    const { relay, key, other } = await openWith({}, { userConcurrency: 1 })
    const stream = await relay.request('/v1/chat/completions', key, { ...body, stream: true })
    expect(await statusesOf(1, () => relay.request('/v1/chat/completions', other, body))).toEqual([429])
    await stream.text()
    expect(await statusesOf(1, () => relay.request('/v1/chat/completions', other, body))).toEqual([200])
  })
})

test('balances may be asked for 180 times in three minutes', async () => {
  const relay = await TestRelay.open()
  opened.push(relay)
  const key = await relay.addToken()
  const ask = () => relay.request('/v1/dashboard/billing/subscription', key, undefined)
  const statuses = await statusesOf(200, ask)
  expect(statuses.filter(status => status === 200)).toHaveLength(180)
})
