import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { asObject, type JsonObject } from '#server/provider-kit/json.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { type BudgetRow, insertBudget } from './queries/budgets.ts'
import { readBudget } from './testing/budgets.ts'
import { auditBudgets } from './verify.ts'

let relay: TestRelay
let key: string
const MODELS = ['lab', 'claude-opus-4', 'claude-opus-5']
const PRICES = testPrices({ ModelRatio: Object.fromEntries(MODELS.map(model => [model, 1])) })
const NOW = Date.parse('2026-05-20T12:00:00Z')
let restoreClock: () => void

beforeEach(async () => {
  relay = await TestRelay.open({ prices: PRICES })
  await relay.addChannel()
  key = await relay.addToken()
  restoreClock = setClock({ nowMs: () => NOW, elapsedMs: () => performance.now() })
})
afterEach(async () => {
  restoreClock()
  const differences = await auditBudgets(relay.db)
  await relay.close()
  expect(differences).toEqual([])
})

const addBudget = (columns: Partial<BudgetRow>) =>
  insertBudget(relay.db, {
    user_id: relay.userId,
    subject_id: relay.userId,
    unit: 'quota',
    amount: 1,
    period: 'day',
    ...columns,
  })

const CLIENTS = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
  responses: '/v1/responses',
  gemini: '/v1beta/models/lab:generateContent',
} as const
type Client = keyof typeof CLIENTS

const bodyOf = (client: Client): JsonObject => {
  const messages = [{ role: 'user', content: 'hi' }]
  return {
    openai: { model: 'lab', max_tokens: 50, messages },
    anthropic: { model: 'lab', max_tokens: 50, messages },
    responses: { model: 'lab', max_output_tokens: 50, input: 'hi' },
    gemini: { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 50 } },
  }[client]
}

async function request(client: Client, language = 'en') {
  const headers = { 'accept-language': language }
  const response = await relay.request(CLIENTS[client], key, bodyOf(client), headers)
  const body = asObject(JSON.parse(await response.text()))
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    error: asObject(body.error),
  }
}

const REQUESTS_OF_DAY = { unit: 'requests', amount: 1 } as const
const MESSAGE =
  'the daily budget of the user is 1 requests: 1 requests are used or reserved, and the request may need 1 requests; it resets at 2026-05-21 00:00 UTC'

describe('a spent budget', () => {
  test.each([
    ['openai', { code: 'budget_exceeded' }],
    ['responses', { code: 'insufficient_quota' }],
    ['anthropic', { type: 'billing_error' }],
    ['gemini', { code: 429, status: 'RESOURCE_EXHAUSTED' }],
  ] as const)('is a rejection in the words of %s, with its reset', async (client, words) => {
    await addBudget(REQUESTS_OF_DAY)
    expect((await request(client)).status).toBe(200)
    const { status, headers, error } = await request(client)
    expect(status).toBe(429)
    expect(error).toMatchObject(words)
    expect(error.message).toContain(MESSAGE)
    expect(headers).toMatchObject({ 'retry-after': String(12 * 3600), 'x-should-retry': 'false' })
  })

  test('says in Chinese which one, how much and until when', async () => {
    await addBudget({ ...REQUESTS_OF_DAY, time_zone: 'Asia/Shanghai', name: '课程' })
    await request('openai')
    expect((await request('openai', 'zh')).error.message).toContain(
      '预算“课程”为 1 次请求，已使用和预留 1 次请求，本次请求最多需要 1 次请求；2026-05-21 00:00 Asia/Shanghai 重置',
    )
  })

  test('is in the headers of rate limits that clients of OpenAI and Anthropic read', async () => {
    await addBudget(REQUESTS_OF_DAY)
    await request('openai')
    for (const client of ['openai', 'responses'] as const)
      expect((await request(client)).headers).toMatchObject({
        'x-ratelimit-limit-requests': '1',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '12h0m0s',
      })
    expect((await request('anthropic')).headers).toMatchObject({
      'anthropic-ratelimit-requests-limit': '1',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-05-21T00:00:00.000Z',
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(Date.parse('2026-05-21T00:00:00Z') / 1000),
    })
  })

  test('of money is in headers in quota units, and says what a lower limit of tokens does', async () => {
    await addBudget({ amount: 20 })
    const { status, headers, error } = await request('openai')
    expect(status).toBe(429)
    expect(Object.entries(headers).filter(([name]) => name.startsWith('x-ratelimit'))).toEqual([
      ['x-ratelimit-limit-quota', '20'],
      ['x-ratelimit-remaining-quota', '20'],
    ])
    expect(error.message).toContain('the request alone exceeds it; a lower max_tokens needs less')
    const limits = Object.keys((await request('anthropic')).headers)
    expect(limits).toContain('anthropic-ratelimit-unified-status')
    expect(limits.filter(name => /-(quota|reset)/.test(name))).toEqual([])
  })

  test('that rejects until the last is the one that is named', async () => {
    for (const period of ['hour', 'month', 'day'] as const) await addBudget({ ...REQUESTS_OF_DAY, period })
    await request('openai')
    const { headers, error } = await request('openai')
    expect(error.message).toContain('the monthly budget of the user is 1 requests')
    expect(headers['retry-after']).toBe(String(Date.parse('2026-06-01T00:00:00Z') / 1000 - NOW / 1000))
    await addBudget({ ...REQUESTS_OF_DAY, amount: 0, period: 'none' })
    expect((await request('openai')).error.message).toContain('it never resets')
  })

  test('that never resets names no time', async () => {
    await addBudget({ ...REQUESTS_OF_DAY, period: 'none' })
    await request('openai')
    const { headers, error } = await request('openai')
    expect(error.message).toContain('it never resets')
    expect(headers).not.toHaveProperty('retry-after')
    const { details } = (await request('gemini')).error
    expect(details).toMatchObject([{ violations: [{ quotaId: 'GatewayRequestsPerDay' }] }])
  })
})

describe('a budget', () => {
  test('counts money to the unit, from the charge of each request', async () => {
    const { id } = await addBudget({ amount: 100_000 })
    await request('openai')
    const { amount } = await relay.db
      .selectFrom('postings')
      .select('amount')
      .where('kind', '=', 'charge')
      .executeTakeFirstOrThrow()
    expect(await readBudget(relay.db, id)).toEqual({ used: amount, held: 0 })
  })

  test('bounds the model, the group and the token that it names, and nothing else', async () => {
    const others = await Promise.all(
      [{ model: 'other' }, { group: 'vip' }, { subject_id: 999 }, { is_enabled: 0 as const }].map(named =>
        addBudget({ ...REQUESTS_OF_DAY, amount: 0, ...named }),
      ),
    )
    const own = await addBudget({ ...REQUESTS_OF_DAY, model: 'lab', group: 'default' })
    expect((await request('openai')).status).toBe(200)
    expect(await readBudget(relay.db, own.id)).toEqual({ used: 1, held: 0 })
    for (const { id } of others) expect(await readBudget(relay.db, id)).toEqual({ used: 0, held: 0 })
    const { error } = await request('openai')
    expect(error.message).toContain('the daily budget of the user for lab, default is 1 requests')
  })

  test('of a pattern bounds its models together, beside one for any, at any number of requests at once', async () => {
    await relay.addChannel({ models: MODELS.slice(1).join() })
    const member = { subject: 'member', subject_id: 4, unit: 'requests' } as const
    const ofModels = await addBudget({ ...member, amount: 5, model: 'claude-opus-*' })
    const ofOne = await addBudget({ ...member, amount: 2, model: 'claude-opus-5' })
    const ofAll = await addBudget({ ...member, amount: 9 })
    const memberKey = await relay.addToken({ columns: { member_id: 4 } })
    const ask = async (model: string) => {
      const response = await relay.request(CLIENTS.openai, memberKey, { ...bodyOf('openai'), model })
      return { model, status: response.status, text: await response.text() }
    }
    const replies = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(MODELS[index % 3] ?? '')))
    const served = (pattern: RegExp) =>
      replies.filter(({ status, model }) => status === 200 && pattern.test(model)).length
    expect(served(/./)).toBe(9)
    expect(served(/opus/)).toBeLessThanOrEqual(5)
    expect(served(/opus-5/)).toBeLessThanOrEqual(2)
    expect(await readBudget(relay.db, ofModels.id)).toEqual({ used: served(/opus/), held: 0 })
    expect(await readBudget(relay.db, ofOne.id)).toEqual({ used: served(/opus-5/), held: 0 })
    expect(await readBudget(relay.db, ofAll.id)).toEqual({ used: 9, held: 0 })
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]))
  })

  test('of an organisation for a model is told as that of the organisation', async () => {
    await relay.db.updateTable('users').set({ kind: 'organization' }).where('id', '=', relay.userId).execute()
    await addBudget({ ...REQUESTS_OF_DAY, amount: 0, model: 'l*b' })
    expect((await request('openai')).error.message).toContain(
      'the daily budget of the organisation for l*b is 0 requests',
    )
    expect((await request('openai', 'zh')).error.message).toContain('该组织的每日预算（l*b）为 0 次请求')
  })

  test('that is soft only counts', async () => {
    const { id } = await addBudget({ ...REQUESTS_OF_DAY, is_hard: 0 })
    for (let count = 0; count < 3; count += 1) expect((await request('openai')).status).toBe(200)
    expect(await readBudget(relay.db, id)).toEqual({ used: 3, held: 0 })
  })

  test('begins anew with its next window', async () => {
    await addBudget(REQUESTS_OF_DAY)
    await request('openai')
    expect((await request('openai')).status).toBe(429)
    restoreClock()
    restoreClock = setClock({ nowMs: () => NOW + 12 * 3_600_000, elapsedMs: () => performance.now() })
    expect((await request('openai')).status).toBe(200)
  })

  test.each([
    ['set back into its former window', '2026-05-19T23:59:50Z', 429],
    ['set back within its window', '2026-05-20T00:00:00Z', 429],
    ['set on within its window', '2026-05-20T23:59:59Z', 429],
    ['set on into its next window', '2026-05-21T00:00:00Z', 200],
  ])('of a day whose clock is %s is not granted twice', async (_, now, status) => {
    const { id } = await addBudget(REQUESTS_OF_DAY)
    await request('openai')
    restoreClock()
    restoreClock = setClock({ nowMs: () => Date.parse(now), elapsedMs: () => performance.now() })
    expect((await request('openai')).status).toBe(status)
    expect(await readBudget(relay.db, id)).toEqual({ used: status === 200 ? 2 : 1, held: 0 })
  })

  test('holds at any number of requests at once', async () => {
    const { id } = await addBudget({ ...REQUESTS_OF_DAY, amount: 7 })
    const results = await Promise.all(Array.from({ length: 40 }, () => request('openai')))
    expect(results.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(await readBudget(relay.db, id)).toEqual({ used: 7, held: 0 })
  })

  test('of tokens counts what the provider reported', async () => {
    const { id } = await addBudget({ unit: 'tokens', amount: 1_000_000 })
    await request('openai')
    const { prompt_tokens, completion_tokens } = await relay.db
      .selectFrom('logs')
      .select(['prompt_tokens', 'completion_tokens'])
      .executeTakeFirstOrThrow()
    expect(await readBudget(relay.db, id)).toEqual({ used: prompt_tokens + completion_tokens, held: 0 })
  })
})

test('the budgets of a token bound the tokens that it makes', async () => {
  const { id } = await relay.db.selectFrom('tokens').select('id').executeTakeFirstOrThrow()
  const budgetId = await addBudget({ ...REQUESTS_OF_DAY, amount: 2, subject: 'token', subject_id: id }).then(
    row => row.id,
  )
  const child = await relay.request('/v1/child_tokens', key, {})
  const { key: childKey } = asObject(await child.json())
  const headers = { authorization: `Bearer ${childKey}` }
  const statusOf = async () => (await relay.request(CLIENTS.openai, '', bodyOf('openai'), headers)).status
  expect([await statusOf(), (await request('openai')).status, await statusOf()]).toEqual([200, 200, 429])
  expect(await readBudget(relay.db, budgetId)).toEqual({ used: 2, held: 0 })
})
