import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Send } from '#server/http-client/send.ts'
import { createLab } from '#server/lab/open-lab.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { asObject, type JsonObject } from '#server/provider-kit/json.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { isBendRule, substituteOf } from './bends.ts'
import { type BudgetRow, insertBudget, listWindows } from './queries/budgets.ts'
import { addToBudgetWindows } from './queries/counts.ts'
import { auditBudgets } from './verify.ts'

const ALL_MODELS = 'opus-4,sonnet-4,haiku-4,opus-5'
const AMOUNT = 1_000_000
/** Models that can think, with their ratios. */
const THINKERS = { o3: 0.1, 'claude-opus-4-5': 0.1, 'gemini-2.5-pro': 0.1 }

let relay: TestRelay
let key: string
/** The models that the provider was asked for. */
let called: string[]
/** The bodies that it received. */
let sent: JsonObject[]

const lab = sendThrough(createLab().fetch)
const recordingSend: Send = (request, options) => {
  const { body, url } = request
  const [, inPath] = /models\/([^:]+):/.exec(url) ?? []
  const json = asObject(JSON.parse(String(body)))
  sent.push(json)
  called.push(inPath ?? String(json.model))
  return lab(request, options)
}

beforeEach(async () => {
  called = []
  sent = []
  relay = await TestRelay.open({
    send: recordingSend,
    wallet: 100 * AMOUNT,
    prices: testPrices({
      ModelRatio: { 'opus-4': 10, 'opus-5': 10, 'sonnet-4': 2, 'haiku-4': 0.5, unserved: 1, ...THINKERS },
      CompletionRatio: { 'opus-4': 2, 'opus-5': 2, 'sonnet-4': 2, 'haiku-4': 2 },
      GroupRatio: { default: 1 },
    }),
  })
  await relay.addChannel({ models: ALL_MODELS })
  key = await relay.addToken()
})

afterEach(async () => {
  const differences = await auditBudgets(relay.db)
  const { drift, findings } = await auditLedger(relay.db)
  await relay.close()
  expect(differences).toEqual([])
  expect(findings).toEqual([])
  expect(drift).toBe(0)
})

const RULE = { bend_percent: 80, bend_from: 'opus-*', bend_to: 'sonnet-*' } as const

const addBudget = (columns: Partial<BudgetRow> = {}) =>
  insertBudget(relay.db, {
    ...{ subject: 'user', subject_id: relay.userId, user_id: relay.userId },
    ...{ unit: 'quota', amount: AMOUNT, ...RULE, ...columns },
  })

/** As if requests had used this much of a budget without windows that end. */
async function use({ id }: BudgetRow, used: number): Promise<void> {
  await addToBudgetWindows(relay.db, [{ budgetId: id, window: 0, used, held: 0 }])
  await relay.db
    .withTables<{
      budget_uses: { budget_id: number; starts_at: number; request_id: string; amount: number }
    }>()
    .insertInto('budget_uses')
    .values({ budget_id: id, starts_at: 0, request_id: '', amount: used })
    .execute()
}

async function ask(body: JsonObject = {}, path = '/v1/chat/completions', by = key) {
  const messages = [{ role: 'user', content: 'hi' }]
  const response = await relay.request(path, by, { model: 'opus-4', max_tokens: 20, messages, ...body })
  return { status: response.status, text: await response.text() }
}

const errorOf = ({ text }: { readonly text: string }) => asObject(asObject(JSON.parse(text)).error)

async function receipts() {
  const rows = await relay.db
    .selectFrom('logs')
    .innerJoin('receipts', 'receipts.log_id', 'logs.id')
    .select(['logs.model_name', 'logs.quota', 'receipts.body'])
    .orderBy('logs.id')
    .execute()
  return rows.map(({ body, ...row }) => ({ ...row, receipt: asObject(JSON.parse(body)) }))
}

const savedOf = (receipt: JsonObject): number[] =>
  (Array.isArray(receipt.bends) ? receipt.bends : []).map(bend => Number(asObject(bend).saved))

const savedBy = async ({ id }: BudgetRow): Promise<number> =>
  (await listWindows(relay.db, [id], 0)).reduce((sum, { saved }) => sum + saved, 0)

const count = (model: string): number => called.filter(name => name === model).length

test('of 1,000 callers at once at 79.9 %, none reaches the dear model beyond 80 %', async () => {
  const budget = await addBudget({ amount: 100 * AMOUNT })
  await use(budget, 79.9 * AMOUNT)
  const results = await Promise.all(Array.from({ length: 1000 }, () => ask()))
  expect(results.filter(({ status }) => status !== 200)).toEqual([])
  const rows = await receipts()
  const dear = rows.filter(({ model_name }) => model_name === 'opus-4')
  const spentDear = dear.reduce((sum, row) => sum + row.quota, 0)
  expect(dear.length).toBe(count('opus-4'))
  expect(spentDear).toBeLessThanOrEqual(0.1 * AMOUNT)
  expect(count('sonnet-4')).toBe(1000 - dear.length)
  expect(count('sonnet-4')).toBeGreaterThan(0)
  const saved = rows.flatMap(({ receipt }) => savedOf(receipt)).reduce((sum, one) => sum + one, 0)
  expect(saved).toBeGreaterThan(0)
  expect(await savedBy(budget)).toBe(saved)
})

test('once the part of the dear model is used, it serves nobody', async () => {
  const budget = await addBudget()
  await use(budget, 0.8 * AMOUNT)
  const results = await Promise.all(Array.from({ length: 50 }, () => ask()))
  expect(results.filter(({ status }) => status !== 200)).toEqual([])
  expect(called).toEqual(Array.from({ length: 50 }, () => 'sonnet-4'))
})

describe('the client of', () => {
  const NOT_OF_CHATS = { messages: undefined, max_tokens: undefined }
  const contents = [{ parts: [{ text: 'hi' }] }]
  const CLIENTS = {
    'chat completions': ['/v1/chat/completions', {}],
    'a stream': ['/v1/chat/completions', { stream: true }],
    messages: ['/v1/messages', {}],
    'a stream of messages': ['/v1/messages', { stream: true }],
    responses: ['/v1/responses', { ...NOT_OF_CHATS, input: 'hi', max_output_tokens: 20 }],
    gemini: [
      '/v1beta/models/opus-4:generateContent',
      { ...NOT_OF_CHATS, contents, generationConfig: { maxOutputTokens: 20 } },
    ],
    'a stream of gemini': [
      '/v1beta/models/opus-4:streamGenerateContent?alt=sse',
      { ...NOT_OF_CHATS, contents, generationConfig: { maxOutputTokens: 20 } },
    ],
  } as const

  test.each(Object.entries(CLIENTS))(
    '%s is served by the cheap model, which the response names',
    async (_, [path, body]) => {
      const budget = await addBudget()
      await use(budget, 0.8 * AMOUNT)
      const { status, text } = await ask(body, path)
      expect(status).toBe(200)
      expect(called).toEqual(['sonnet-4'])
      expect(text).toContain('sonnet-4')
      expect(text).not.toContain('opus-4')
      expect(await receipts()).toMatchObject([{ model_name: 'sonnet-4' }])
    },
  )

  test('a native format receives the cheap model in the native body', async () => {
    await relay.addChannel({ type: 14, models: 'opus-5', priority: 10 })
    await relay.addChannel({ type: 14, models: 'sonnet-5', priority: 10 })
    const budget = await addBudget({ bend_from: 'opus-5', bend_to: 'sonnet-4' })
    await use(budget, 0.8 * AMOUNT)
    const { status } = await ask({ model: 'opus-5' }, '/v1/messages')
    expect(status).toBe(200)
    expect(called).toEqual(['sonnet-4'])
  })
})

test('the receipt has the rule, the price and the amount that it would have had, and what was saved', async () => {
  const budget = await addBudget({ name: 'Course' })
  await use(budget, 0.8 * AMOUNT)
  await ask()
  const [row] = await receipts()
  const { bends } = row?.receipt ?? {}
  expect(bends).toMatchObject([
    {
      ...{ budget_id: budget.id, percent: 80, from: 'opus-4', to: 'sonnet-4' },
      price: { model_ratio: 10 },
      // Both have the same factors, so that the dear one costs five times as much, up to rounding.
      saved: (row?.quota ?? 0) * 4,
      amount: (row?.quota ?? 0) * 5,
    },
  ])
  expect(JSON.stringify(bends)).toContain('Course')
})

describe('budgets together', () => {
  test('each of a chain of rules states what it saved, and together the whole difference', async () => {
    const first = await addBudget()
    const second = await addBudget({ bend_percent: 90, bend_from: 'sonnet-*', bend_to: 'haiku-*' })
    await use(first, 0.8 * AMOUNT)
    await use(second, 0.9 * AMOUNT)
    expect((await ask()).status).toBe(200)
    expect(called).toEqual(['haiku-4'])
    const [row] = await receipts()
    const [one = 0, two = 0] = savedOf(row?.receipt ?? {})
    expect([await savedBy(first), await savedBy(second)]).toEqual([one, two])
    expect(one + two).toBe((row?.quota ?? 0) * 19)
  })

  test('rules that lead in a circle bring back no dear model', async () => {
    const first = await addBudget()
    const second = await addBudget({ bend_from: 'sonnet-*', bend_to: 'opus-*' })
    await use(first, 0.8 * AMOUNT)
    await use(second, 0.8 * AMOUNT)
    expect((await ask()).status).toBe(200)
    expect(called).toEqual(['sonnet-4'])
  })

  test('a budget for the dear model alone passes requests on, and keeps what that saved', async () => {
    const budget = await addBudget({ model: 'opus-4', bend_percent: 100, bend_to: 'sonnet-4' })
    await use(budget, AMOUNT)
    expect((await ask()).status).toBe(200)
    expect(called).toEqual(['sonnet-4'])
    const [row] = await receipts()
    expect(await savedBy(budget)).toBe((row?.quota ?? 0) * 4)
    const [window] = await listWindows(relay.db, [budget.id], 1)
    expect(window).toMatchObject({ used: 0, held: 0 })
  })

  test('a spent budget that only the dear model exceeds does not keep the cheap one out', async () => {
    const hard = await addBudget({ bend_percent: 0, amount: 5_000 })
    await use(hard, 4_000)
    const bending = await addBudget()
    await use(bending, 0.8 * AMOUNT)
    expect((await ask()).status).toBe(200)
    expect(called).toEqual(['sonnet-4'])
  })
})

test('a soft budget bends, and refuses nobody', async () => {
  const budget = await addBudget({ is_hard: 0 })
  await use(budget, AMOUNT)
  expect((await ask()).status).toBe(200)
  expect(called).toEqual(['sonnet-4'])
})

test('the whole budget bounds the cheap model', async () => {
  const budget = await addBudget()
  await use(budget, AMOUNT)
  const { status, text } = await ask()
  expect([status, called]).toEqual([429, []])
  expect(text).toContain('budget_exceeded')
  expect(text).not.toContain('replaces')
})

describe('is refused in the words of the budget where the cheap model', () => {
  const words = (to: string) => `80 % are for opus-4 before ${to} replaces it, which cannot serve here`

  test('is not among those of the token', async () => {
    const narrow = await relay.addToken({ columns: { model_limits_enabled: 1, model_limits: 'opus-4' } })
    const budget = await addBudget()
    expect((await ask({}, undefined, narrow)).status).toBe(200)
    await use(budget, 0.8 * AMOUNT)
    const rejected = await ask({}, undefined, narrow)
    expect(rejected.status).toBe(429)
    expect(errorOf(rejected)).toMatchObject({ code: 'budget_exceeded' })
    expect(errorOf(rejected).message).toContain(words('sonnet-4'))
  })

  test.each(['unserved', 'unknown'])('is %s', async to => {
    const budget = await addBudget({ bend_to: to })
    await use(budget, 0.8 * AMOUNT)
    const rejected = await ask()
    expect(rejected.status).toBe(429)
    expect(errorOf(rejected).message).toContain(words(to))
  })
})

test('a dear model that the request lets answer in place of another one is refused', async () => {
  const budget = await addBudget()
  const body = { model: 'haiku-4', models: ['opus-4'] }
  await use(budget, 0.8 * AMOUNT)
  const rejected = await ask(body)
  expect(rejected.status).toBe(429)
  expect(errorOf(rejected).message).toContain('80 % are for opus-4')
  expect(called).toEqual([])
})

describe('an effort beyond that of the rule', () => {
  const RULE_OF_EFFORT = { bend_from: '', bend_to: '', bend_effort: 'low' } as const
  const NOT_OF_CHATS = { messages: undefined, max_tokens: undefined }
  /** What each format says for much thinking. */
  const CLIENTS = {
    chat: { max_tokens: 2_000, reasoning_effort: 'high' },
    messages: { max_tokens: 12_000, thinking: { type: 'enabled', budget_tokens: 10_000 } },
    responses: { ...NOT_OF_CHATS, input: 'hi', max_output_tokens: 2_000, reasoning: { effort: 'high' } },
    gemini: {
      ...NOT_OF_CHATS,
      contents: [{ parts: [{ text: 'hi' }] }],
      generationConfig: { maxOutputTokens: 12_000, thinkingConfig: { thinkingBudget: 10_000 } },
    },
  } as const
  type Client = keyof typeof CLIENTS
  const PATHS = {
    chat: () => '/v1/chat/completions',
    messages: () => '/v1/messages',
    responses: () => '/v1/responses',
    gemini: (model: string, isStream: boolean) =>
      `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  } as const satisfies Record<Client, (model: string, isStream: boolean) => string>
  const PROVIDERS = [
    [1, 'o3'],
    [14, 'claude-opus-4-5'],
    [24, 'gemini-2.5-pro'],
  ] as const
  const CASES = (['chat', 'messages', 'responses', 'gemini'] as const).flatMap(client =>
    PROVIDERS.flatMap(([type, model]) =>
      [false, true].map(isStream => [client, isStream ? 'streamed' : 'whole', model, type] as const),
    ),
  )

  /** The effort in whichever field a body states it. */
  function effortIn(body: JsonObject): unknown {
    const { thinkingBudget } = asObject(asObject(body.generationConfig).thinkingConfig)
    const { budget_tokens } = asObject(body.thinking)
    return body.reasoning_effort ?? asObject(body.reasoning).effort ?? thinkingBudget ?? budget_tokens
  }

  const isLow = (effort: unknown): boolean =>
    effort === 'low' || (typeof effort === 'number' && effort > 0 && effort <= 1_280)

  const askThinker = (model: string, body: JsonObject) =>
    relay.addChannel({ models: model, priority: 10 }).then(() => ask({ model, ...body }))

  test.each(CASES)('of %s, %s, is lowered for %s', async (client, mode, model, type) => {
    await relay.addChannel({ type, models: model, priority: 10 })
    const budget = await addBudget(RULE_OF_EFFORT)
    const isStream = mode === 'streamed'
    const body = { model, ...CLIENTS[client], ...(isStream && client !== 'gemini' && { stream: true }) }
    const path = PATHS[client](model, isStream)
    expect((await ask(body, path)).status).toBe(200)
    await use(budget, 0.8 * AMOUNT)
    expect((await ask(body, path)).status).toBe(200)
    expect(called).toEqual([model, model])
    expect(sent.map(effortIn).map(isLow)).toEqual([false, true])
    const [before, after] = await receipts()
    expect(before?.receipt.bends).toBeUndefined()
    expect(after?.receipt).toMatchObject({
      reasoning_effort: 'low',
      bends: [{ from: model, to: model, effort: { from: 'high', to: 'low' }, saved: 0 }],
    })
  })

  test.each([
    ['low', 'low'],
    ['medium', 'low'],
    ['high', 'medium'],
  ] as const)('is not one up to it: %s keeps %s', async (bend_effort, reasoning_effort) => {
    await use(await addBudget({ ...RULE_OF_EFFORT, bend_effort }), 0.8 * AMOUNT)
    expect((await askThinker('o3', { reasoning_effort })).status).toBe(200)
    expect(sent.map(effortIn)).toEqual([reasoning_effort])
    const [row] = await receipts()
    expect(row?.receipt.bends).toBeUndefined()
  })

  test('is that of a model that thinks by itself, of which the request states none', async () => {
    await use(await addBudget(RULE_OF_EFFORT), 0.8 * AMOUNT)
    expect((await askThinker('o3', {})).status).toBe(200)
    expect((await ask()).status).toBe(200)
    expect(sent.map(effortIn)).toEqual(['low', undefined])
    const [thinker, other] = await receipts()
    expect(thinker?.receipt.bends).toMatchObject([{ effort: { to: 'low' }, saved: 0 }])
    expect(other?.receipt.bends).toBeUndefined()
  })

  test('is lowered together with the model, which alone saves money', async () => {
    const budget = await addBudget({ bend_effort: 'low' })
    await use(budget, 0.8 * AMOUNT)
    expect((await ask({ reasoning_effort: 'high' })).status).toBe(200)
    expect([called, sent.map(effortIn)]).toEqual([['sonnet-4'], ['low']])
    const [row] = await receipts()
    const saved = (row?.quota ?? 0) * 4
    expect(row?.receipt.bends).toMatchObject([
      { from: 'opus-4', to: 'sonnet-4', effort: { from: 'high', to: 'low' }, saved },
    ])
    expect(await savedBy(budget)).toBe(saved)
  })

  test('is lowered step by step by several budgets', async () => {
    const first = await addBudget({ ...RULE_OF_EFFORT, bend_effort: 'medium' })
    const second = await addBudget({ ...RULE_OF_EFFORT, bend_percent: 90 })
    await use(first, 0.8 * AMOUNT)
    await use(second, 0.9 * AMOUNT)
    expect((await askThinker('o3', { reasoning_effort: 'high' })).status).toBe(200)
    expect(sent.map(effortIn)).toEqual(['low'])
    const [row] = await receipts()
    expect(row?.receipt.bends).toMatchObject([
      { effort: { from: 'high', to: 'medium' } },
      { effort: { from: 'medium', to: 'low' } },
    ])
  })

  test('is not lowered below the share, nor for other models', async () => {
    const below = await addBudget(RULE_OF_EFFORT)
    await use(below, 0.5 * AMOUNT)
    const ofOthers = await addBudget({ ...RULE_OF_EFFORT, bend_from: 'opus-*' })
    await use(ofOthers, 0.8 * AMOUNT)
    expect((await askThinker('o3', { reasoning_effort: 'high' })).status).toBe(200)
    expect(sent.map(effortIn)).toEqual(['high'])
  })

  test('is bounded by the whole budget', async () => {
    await use(await addBudget(RULE_OF_EFFORT), AMOUNT)
    const rejected = await askThinker('o3', { reasoning_effort: 'high' })
    expect([rejected.status, called]).toEqual([429, []])
  })
})

test('no rule leaves every request as it is', async () => {
  const budget = await addBudget({ bend_percent: 0 })
  await use(budget, 0.8 * AMOUNT)
  await ask()
  expect(called).toEqual(['opus-4'])
  const [row] = await receipts()
  expect(row?.receipt.bends).toBeUndefined()
})

test.each([
  ['claude-opus-*', 'claude-sonnet-*', 'claude-opus-4-5', 'claude-sonnet-4-5'],
  ['*-pro', '*-flash', 'gemini-3-pro', 'gemini-3-flash'],
  ['gpt-*-pro', 'gpt-5-mini', 'gpt-5-pro', 'gpt-5-mini'],
  ['', 'cheap', 'anything', 'cheap'],
  ['', 'cheap', 'cheap', undefined],
  ['dear', 'cheap', 'dear-2', undefined],
  ['ab*ba', 'c', 'aba', undefined],
  ['*', 'cheap', 'dear', 'cheap'],
])('%p → %p makes of %p %p', (bend_from, bend_to, model, expected) => {
  expect(substituteOf({ bend_from, bend_to }, model)).toBe(expected)
})

test.each([
  [80, 'opus-*', 'sonnet-*', '', true],
  [80, '', 'sonnet', '', true],
  [80, 'opus', '', '', false],
  [80, 'opus', '', 'low', true],
  [80, '', '', 'low', true],
  [80, 'opus', 'sonnet-*', 'low', false],
  [80, 'o*p*', '', 'low', false],
  [0, '', '', '', true],
] as const)(
  'a rule of %p %%, %p → %p %p: %p',
  (bend_percent, ...[bend_from, bend_to, bend_effort, expected]) => {
    expect(isBendRule({ bend_percent, bend_from, bend_to, bend_effort })).toBe(expected)
  },
)
