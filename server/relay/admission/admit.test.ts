import { afterEach, expect, test } from 'bun:test'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { GatewayError } from '../../core/errors.ts'
import { sameInBoth } from '../../core/language.ts'
import { connectionFor } from '../../testing/test-connection.ts'
import { testPrices } from '../../testing/test-prices.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import type { RequestInspector } from '../hooks.ts'
import { relay as runRelay } from '../pipeline.ts'
import type { Admission } from './admit.ts'

const UNPARSEABLE = '{"model":'
const CHAT = '/v1/chat/completions'
const BODY = { model: 'lab', messages: [{ role: 'user', content: 'hi' }] }

let relay: TestRelay
afterEach(() => relay.close())

test.each([
  [CHAT, 403],
  ['/v1/messages', 429],
  ['/v1/responses', 429],
  ['/v1beta/models/lab:generateContent', 403],
  ['/v1/embeddings', 403],
  ['/mj/submit/imagine', 400],
])('rejects a request to %s with an empty wallet without looking at its body', async (path, status) => {
  relay = await TestRelay.open({ wallet: 0 })
  await relay.addChannel()
  const response = await relay.request(path, await relay.addToken(), UNPARSEABLE)
  expect(response.status).toBe(status)
  expect(await response.text()).toMatch(/\$0\.000000 left/)
})

test('serves free models, counts tokens and lists models with an empty wallet', async () => {
  relay = await TestRelay.open({ wallet: 0 })
  await relay.addChannel({ models: 'lab' })
  const key = await relay.addToken()
  const statusOf = async (path: string, body?: object) => (await relay.request(path, key, body)).status
  expect(await statusOf(CHAT, BODY)).toBe(403)
  expect(await statusOf('/v1/messages/count_tokens', { ...BODY, max_tokens: 1 })).toBe(200)
  expect(await statusOf('/v1/models')).toBe(200)
  await relay.close()

  relay = await TestRelay.open({
    wallet: 0,
    prices: testPrices({ ModelRatio: { lab: 1, gift: 0 } }),
  })
  await relay.addChannel({ models: 'lab,gift' })
  const again = await relay.addToken()
  expect((await relay.request(CHAT, again, { ...BODY, model: 'gift' })).status).toBe(200)
  expect(await (await relay.request(CHAT, again, BODY)).text()).toContain('insufficient_user_quota')
})

const MESSAGES = [{ role: 'user', content: 'hi' }]
const CONTENTS = [{ role: 'user', parts: [{ text: 'hi' }] }]
/** Whoever is asked, the model is the last part of the path or a field of the body. */
const CHATS: readonly (readonly [path: string, body: object])[] = [
  [CHAT, { messages: MESSAGES }],
  [CHAT, { messages: MESSAGES, stream: true }],
  ['/v1/completions', { prompt: 'hi' }],
  ['/v1/messages', { messages: MESSAGES, max_tokens: 9 }],
  ['/v1/responses', { input: 'hi' }],
  ['/v1/responses', { input: 'hi', background: true }],
  ['/v1beta/models/MODEL:generateContent', { contents: CONTENTS }],
  ['/v1beta/interactions', { input: 'hi' }],
  ['/v1beta/interactions', { input: 'hi', background: true }],
  ['/v2/chat', { messages: MESSAGES }],
  ['/v1/embeddings', { input: 'hi' }],
]

test.each(CHATS)(
  'serves free models at %s with %j to a token without quota, and no others',
  async (path, body) => {
    relay = await TestRelay.open({ prices: testPrices({ ModelRatio: { lab: 1, gift: 0 } }) })
    await relay.addChannel({ models: 'lab,gift' })
    const ask = (key: string, model: string) =>
      relay.request(path.replace('MODEL', model), key, { ...body, model })
    for (const columns of [{}, { status: TOKEN_STATUS.exhausted }]) {
      const spent = await relay.addToken({ remain: 0, columns: { ...columns, unlimited_quota: 0 } })
      expect((await ask(spent, 'gift')).status).toBe(200)
      expect(await (await ask(spent, 'lab')).text()).toMatch(/the token has \$0\.000000 left/)
    }
    await relay.stopFeatures()
    expect(await relay.db.selectFrom('logs').select('quota').where('quota', '>', 0).execute()).toEqual([])
  },
)

test.each([
  { status: TOKEN_STATUS.disabled, unlimited_quota: 0 },
  { status: TOKEN_STATUS.expired, unlimited_quota: 0 },
  { status: TOKEN_STATUS.exhausted, unlimited_quota: 1 },
  { expired_time: 1, unlimited_quota: 0 },
])('does not serve free models to a token with %j', async columns => {
  relay = await TestRelay.open({ prices: testPrices({ ModelRatio: { gift: 0 } }) })
  await relay.addChannel({ models: 'gift' })
  const key = await relay.addToken({ columns })
  expect((await relay.request(CHAT, key, { ...BODY, model: 'gift' })).status).toBe(401)
})

const RATES = ['token requests', 'model requests', 'model successes']
const COUNT = '/v1/messages/count_tokens'
const DRAW = '/mj/submit/imagine'

/** A call, the limits that count it, and how the admissions of features end. */
interface AdmittedCall {
  readonly name: string
  readonly path: string
  readonly body?: unknown
  readonly wallet?: number
  readonly isBackground?: true
  /** Whether a feature rejects what the call says. */
  readonly isRejected?: true
  readonly taken: readonly string[]
  readonly ended: readonly string[]
}

const CALLS: readonly AdmittedCall[] = [
  { name: 'a chat', path: CHAT, body: BODY, taken: RATES, ended: ['complete'] },
  { name: 'a chat without a body', path: CHAT, body: UNPARSEABLE, taken: RATES, ended: ['cancel'] },
  { name: 'a chat with an empty wallet', path: CHAT, body: BODY, wallet: 0, taken: RATES, ended: ['cancel'] },
  { name: 'a chat in the background', path: CHAT, body: BODY, isBackground: true, taken: [], ended: [] },
  { name: 'a count', path: COUNT, body: { ...BODY, max_tokens: 1 }, taken: RATES, ended: ['complete'] },
  { name: 'a count without a body', path: COUNT, body: UNPARSEABLE, taken: RATES, ended: ['cancel'] },
  {
    name: 'a count with an empty wallet',
    path: COUNT,
    body: { ...BODY, max_tokens: 1 },
    wallet: 0,
    taken: RATES,
    ended: ['complete'],
  },
  {
    name: 'a rejected chat',
    path: CHAT,
    body: BODY,
    isRejected: true,
    taken: RATES,
    ended: ['complete'],
  },
  {
    name: 'a rejected count',
    path: COUNT,
    body: { ...BODY, max_tokens: 1 },
    isRejected: true,
    taken: RATES,
    ended: ['cancel'],
  },
  { name: 'a drawing', path: DRAW, body: { prompt: 'a' }, taken: ['token requests'], ended: ['complete'] },
  { name: 'a drawing without a prompt', path: DRAW, body: {}, taken: ['token requests'], ended: ['cancel'] },
  {
    name: 'a drawing with an empty wallet',
    path: DRAW,
    body: { prompt: 'a' },
    wallet: 0,
    taken: ['token requests'],
    ended: ['cancel'],
  },
  { name: 'a list of models', path: '/v1/models', taken: ['lookups'], ended: [] },
  {
    name: 'a list of models with an empty wallet',
    path: '/v1/models',
    wallet: 0,
    taken: ['lookups'],
    ended: [],
  },
  {
    name: 'a list of tasks',
    path: '/mj/task/list-by-condition',
    body: { ids: [] },
    taken: ['lookups'],
    ended: [],
  },
  { name: 'an unknown task', path: '/mj/task/1/fetch', taken: ['lookups'], ended: [] },
  { name: 'a public image', path: '/mj/image/1', taken: [], ended: [] },
  { name: 'an unknown path', path: '/v1/nothing', taken: [], ended: [] },
]

test.each(CALLS.map(call => [call.name, call] as const))('counts %s by its limits', async (_, call) => {
  const { wallet = 1_000_000, path, body, isBackground, isRejected, taken, ended } = call
  const options = {
    ModelRequestRateLimitEnabled: true,
    ModelRequestRateLimitCount: 9,
    ModelRequestRateLimitSuccessCount: 9,
  }
  relay = await TestRelay.open({ wallet, options })
  await relay.addChannel()
  await relay.addChannel({ type: 5, models: 'mj_imagine' })
  const key = await relay.addToken({ columns: { requests_per_minute: 9 } })
  const { rateLimiter, hooks } = relay.context
  const recorded: { readonly taken: string[]; readonly ended: string[] } = { taken: [], ended: [] }
  const context = {
    ...relay.context,
    rateLimiter: {
      ...rateLimiter,
      take: (...args: Parameters<typeof rateLimiter.take>) => {
        recorded.taken.push(args[0].name)
        return rateLimiter.take(...args)
      },
    },
    hooks: {
      ...hooks,
      admit: async () => recordEnd(recorded.ended),
      ...(isRejected && { inspectRequest: REJECTING }),
    },
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '')
  const request = new Request(`http://gateway.test${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer sk-${key}` },
    ...(body !== undefined && { body: text }),
  })
  const connection = { ...connectionFor(request, text), ...(isBackground && { isBackground }) }
  await (await runRelay(request, connection, context)).text()
  expect(recorded).toEqual({ taken: [...taken], ended: [...ended] })
})

const REJECTING: RequestInspector = {
  inspectBody: () => Promise.reject(new GatewayError('sensitive_words_detected', sameInBoth('no'))),
  inspectEvent: () => undefined,
}

const recordEnd = (ended: string[]): Admission => ({
  async complete(response) {
    ended.push('complete')
    return response
  },
  async cancel() {
    ended.push('cancel')
  },
})
