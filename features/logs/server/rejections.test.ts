import { afterEach, expect, test } from 'bun:test'
import { LOG_TYPE, TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import { setClock } from '#server/core/clock.ts'
import { readStoredText } from '#server/core/language.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { AllFilters } from '../contract/log-filters.ts'
import { selectAllLogs } from './filter.ts'
import { listLogPage } from './list.ts'
import { getHistogram, getStat, listErrors, listFacets } from './statistics.ts'

const CHAT = '/v1/chat/completions'
const MESSAGES = [{ role: 'user', content: 'hi' }]
const NOW = 1_790_000_000 - (1_790_000_000 % 60)

let relay: TestRelay | undefined
let restoreClock: () => unknown = () => undefined
afterEach(async () => {
  await relay?.close()
  relay = undefined
  restoreClock()
})

async function openRelay(wallet?: number): Promise<TestRelay> {
  relay = await TestRelay.open({
    prices: testPrices({ ModelRatio: { lab: 1, other: 1 }, GroupRatio: { default: 1 } }),
    ...(wallet !== undefined && { wallet }),
  })
  await relay.addChannel({ models: 'lab,unpriced' })
  return relay
}

const chat = (model: string, content = 'hi') => ({ model, messages: [{ role: 'user', content }] })

async function rowsOf({ db }: TestRelay) {
  const rows = await db
    .selectFrom('logs')
    .leftJoin('receipts', 'receipts.log_id', 'logs.id')
    .select(['request_id', 'type', 'user_id', 'username', 'token_id', 'token_name', 'model_name'])
    .select(['channel_id', 'quota', 'error', 'content', 'body'])
    .where('type', 'in', [LOG_TYPE.failure, LOG_TYPE.rejection])
    .orderBy('id')
    .execute()
  return rows.map(({ body, ...row }) => ({ ...row, receipt: JSON.parse(body ?? '{}') }))
}

interface Case {
  readonly error: string
  readonly token?: Readonly<Record<string, string | number>>
  readonly remain?: number
  readonly wallet?: number
  readonly body?: unknown
  readonly path?: string
  readonly model?: string
  readonly prepare?: (relay: TestRelay, key: string) => Promise<unknown>
}

/** Everything that ends a request before money is held, in the order of the pipeline. */
const CASES: readonly (readonly [what: string, Case])[] = [
  ['a disabled token', { error: '401 token_disabled', token: { status: TOKEN_STATUS.disabled } }],
  ['an expired token', { error: '401 token_expired', token: { expired_time: 5 } }],
  ['a token without quota', { error: '401 token_exhausted', token: { unlimited_quota: 0 } }],
  ['a foreign address', { error: '403 ip_not_allowed', token: { allow_ips: '203.0.113.9' } }],
  ['a group that the owner may not use', { error: '403 group_not_allowed', token: { group: 'inner' } }],
  [
    'a banned owner',
    {
      error: '403 user_banned',
      prepare: ({ db }) => db.updateTable('users').set({ status: USER_STATUS.banned }).execute(),
    },
  ],
  [
    'a rate',
    {
      error: '429 too_many_requests',
      token: { requests_per_minute: 1 },
      prepare: (opened, key) => opened.request(CHAT, key, chat('lab')),
    },
  ],
  ['an empty wallet', { error: '403 insufficient_user_quota', wallet: 0 }],
  ['a body that is no JSON', { error: '400 invalid_json', body: '{' }],
  [
    'a model outside the list of the token',
    { error: '403 model_not_allowed', token: { model_limits_enabled: 1, model_limits: 'other' } },
  ],
  ['an unknown model', { error: '404 model_not_found', body: chat('unknown'), model: 'unknown' }],
  [
    'a model without a price',
    { error: '404 model_price_missing', body: chat('unpriced'), model: 'unpriced' },
  ],
  ['a token with too little quota', { error: '403 insufficient_token_quota', remain: 1, model: 'lab' }],
  [
    'a task',
    { error: '404 model_not_found', path: '/mj/submit/imagine', body: { prompt: 'x' }, model: 'mj_imagine' },
  ],
]

test.each(CASES)('leaves a row for a request that is rejected for %s', async (_, given) => {
  const opened = await openRelay(given.wallet)
  const { remain, token: columns = {} } = given
  const key = await opened.addToken({ columns, ...(remain !== undefined && { remain }) })
  await given.prepare?.(opened, key)
  const before = await opened.db.selectFrom('postings').selectAll().execute()
  const response = await opened.request(given.path ?? CHAT, key, given.body ?? chat('lab'))
  expect(response.status).toBeGreaterThanOrEqual(400)
  await opened.stopFeatures()
  const [row, ...others] = await rowsOf(opened)
  expect(others).toEqual([])
  expect(row).toMatchObject({
    type: LOG_TYPE.rejection,
    error: given.error,
    user_id: opened.userId,
    username: 'caller',
    token_id: 1,
    token_name: 'key',
    model_name: given.model ?? '',
    channel_id: 0,
    quota: 0,
  })
  expect(row?.receipt).toMatchObject({ ending: 'rejected', provenance: 'free' })
  expect(readStoredText(row?.content ?? '', 'zh')).toMatch(/[一-鿿]/)
  expect(readStoredText(row?.content ?? '', 'en')).not.toMatch(/[一-鿿]/)
  expect(await opened.db.selectFrom('postings').selectAll().execute()).toEqual(before)
  expect(await auditLedger(opened.db)).toMatchObject({ drift: 0 })
})

test('leaves no row for unknown callers, for what is free, and for requests that have one', async () => {
  const opened = await openRelay()
  const key = await opened.addToken()
  await opened.request(CHAT, 'unknown', chat('lab'))
  await opened.request('/v1/models/unknown', key, undefined)
  await opened.request('/v1/messages/count_tokens', key, { model: 'unknown', messages: MESSAGES })
  await opened.request('/v1/unknown', key, chat('lab'))
  await opened.request(CHAT, key, chat('lab'))
  await opened.stopFeatures()
  expect(await rowsOf(opened)).toEqual([])
})

test('counts rejected requests as failed in totals, chart, filter values and errors', async () => {
  const opened = await openRelay()
  const key = await opened.addToken()
  for (const model of ['lab', 'unknown', 'unknown', 'unpriced']) await opened.request(CHAT, key, chat(model))
  await opened.stopFeatures()
  const { db } = opened
  const all = await selectAllLogs(db, AllFilters.parse({}))
  expect(await getStat(db, all)).toMatchObject({ count: 4, errors: 3 })
  const chart = { split: 'outcome', utc_offset_minutes: 0, time_zone: '', ownZone: '' } as const
  const counts = (await getHistogram(db, all, chart)).points.map(({ name, count }) => [name, count])
  expect(counts).toEqual([
    ['error', 3],
    ['success', 1],
  ])
  const { types, errors } = await listFacets(db, all, 'admin')
  expect(types).toEqual([
    { value: `${LOG_TYPE.rejection}`, count: 3 },
    { value: `${LOG_TYPE.consumption}`, count: 1 },
  ])
  const summary = [
    { error: '404 model_not_found', count: 2, channels: [], models: [{ value: 'unknown', count: 2 }] },
    { error: '404 model_price_missing', count: 1, channels: [], models: [{ value: 'unpriced', count: 1 }] },
  ]
  expect(errors).toEqual(summary.map(({ error, count }) => ({ value: error, count })))
  expect(await listErrors(db, all, 'admin')).toMatchObject(summary)
  const selected = await selectAllLogs(db, AllFilters.parse({ type: LOG_TYPE.rejection }))
  const page = await listLogPage(db, selected, { offset: 0, limit: 2 })
  expect(page).toMatchObject({ total: 3, rows: [{ model_name: 'unpriced' }, { model_name: 'unknown' }] })
})

test('samples a flood by token, error and minute, and says how many requests the last row stands for', async () => {
  let now = NOW
  restoreClock = setClock({ nowMs: () => now * 1000, elapsedMs: () => now * 1000 })
  const opened = await openRelay(0)
  const keys = [await opened.addToken(), await opened.addToken()]
  const send = async (key: string | undefined, times: number) => {
    for (let count = 0; count < times; count += 1) await opened.request(CHAT, key ?? '', chat('lab'))
  }
  await send(keys[0], 100)
  await send(keys[1], 2)
  now = NOW + 60
  await send(keys[0], 3)
  await opened.stopFeatures()
  const rows = await rowsOf(opened)
  const countsOf = (tokenId: number) =>
    rows.filter(row => row.token_id === tokenId).map(({ receipt }) => receipt.count ?? 1)
  expect(countsOf(1)).toEqual([...Array(10).fill(1), 90, 1, 1, 1])
  expect(countsOf(2)).toEqual([1, 1])
  const hours = await opened.db.selectFrom('usage_hours').select(['type', 'count', 'quota']).execute()
  expect(hours.filter(({ type }) => type === LOG_TYPE.rejection).map(({ count }) => count)).toEqual([14, 2])
})

test('drops rows that cannot be written, and goes on', async () => {
  const opened = await openRelay(0)
  const key = await opened.addToken()
  await opened.db.schema.alterTable('usage_hours').renameTo('away').execute()
  await opened.request(CHAT, key, chat('lab'))
  await opened.stopFeatures()
  await opened.db.schema.alterTable('away').renameTo('usage_hours').execute()
  expect(await rowsOf(opened)).toEqual([])
  await opened.request(CHAT, key, chat('lab'))
  await opened.stopFeatures()
  expect(await rowsOf(opened)).toHaveLength(1)
})
