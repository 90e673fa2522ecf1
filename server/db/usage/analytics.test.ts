import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import {
  groupPercentiles,
  groupTotals,
  percentilesBySlot,
  sumBySlot,
} from '#features/analytics/server/queries/groups.ts'
import { RELATIVE_ERROR } from '../../core/sketch.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { insertRequestLogs, insertUnloggedRequests, type LoggedRequest } from '../logs/log-writes.ts'
import { openTestDatabase } from '../testing.ts'
import type { AnalyticsDimension, Grain } from './analytics-source.ts'
import { CommittedLogs } from './committed-logs.ts'
import { countEarlierRequests, countNewRequests } from './count-requests.ts'
import { rollUpTotals } from './roll-up-totals.ts'
import { findRolledUpUntil } from './usage-days.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const START = 20_000 * DAY
const ALL_TIME = { from: START - 100 * DAY, until: START + 100 * DAY }

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const request = (n: number, at: number, changed: Partial<LoggedRequest['row']> = {}): LoggedRequest => {
  const isFailure = n % 7 === 0
  return {
    row: {
      request_id: `request-${n}`,
      user_id: (n % 5) + 1,
      created_at: at,
      type: isFailure ? 5 : 2,
      username: 'u',
      token_id: (n % 3) + 1,
      token_name: 't',
      model_name: `model-${n % 4}`,
      channel_id: (n % 2) + 1,
      group: n % 2 ? 'default' : 'vip',
      quota: isFailure ? 0 : n,
      prompt_tokens: isFailure ? 0 : 60,
      completion_tokens: isFailure ? 0 : 9,
      use_time: 1,
      is_stream: 0,
      content: '',
      error: isFailure ? '429 rate_limited' : '',
      ...changed,
    },
    receipt: JSON.stringify(
      isFailure
        ? { status: 429, code: 'rate_limited', use_ms: 5, dialect: 'openai' }
        : {
            use_ms: 1000 + n,
            frt_ms: 100 + n,
            dialect: n % 3 ? 'openai' : 'anthropic',
            usage: {
              input: 30,
              cachedInput: 10,
              cacheWrite: 9,
              cacheWriteHour: 1,
              audioInput: 5,
              imageInput: 5,
              output: 4,
              reasoning: 3,
              audioOutput: 2,
            },
            ...(n % 4 === 0 && { extra_usage: { region: 'eu' } }),
            ...(n % 3 === 0 && { cost_nanos: n * 1_999 + 7 }),
          },
    ),
  }
}

const insert = (requests: readonly LoggedRequest[]) =>
  opened.db.connection().execute(db => insertRequestLogs(executor(db), opened.engine, requests))

const executor = (db: OpenDatabase['db']) => ({
  executeQuery: (query: Parameters<typeof db.executeQuery>[0]) => db.executeQuery(query),
})

const deps = () => ({ db: opened.db, engine: opened.engine, reader: opened.db })

const newestId = async () => {
  const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from logs`.execute(opened.db)
  return Number(rows[0]?.id)
}

const countAll = async (now: number) =>
  countNewRequests(deps(), await new CommittedLogs(opened.engine).findAll(opened.db), now)

const sumsOf = async (dimensions: readonly AnalyticsDimension[], grain: Grain = 'day') => {
  const { groups, total } = await groupTotals(opened.db, {
    range: ALL_TIME,
    grain,
    filter: {},
    dimensions,
    rankBy: 'requests',
    limit: 1000,
    leaderLimit: 8,
  })
  return { groups, total }
}

/** The figures of the log itself. */
async function logTotals() {
  const { rows } = await sql<Record<string, number>>`select count(*) as requests,
    sum(case when type = 5 then 1 else 0 end) as errors, sum(quota) as quota, sum(prompt_tokens) as prompt,
    sum(completion_tokens) as completion from logs where type in (2, 5)`.execute(opened.db)
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]))
}

/** The figures of the receipts themselves, and the charges of requests with a known cost. */
async function receiptCosts() {
  const rows = await opened.db
    .selectFrom('receipts')
    .innerJoin('logs', 'logs.id', 'receipts.log_id')
    .select(['receipts.body', 'logs.quota'])
    .execute()
  const costs = { cost_nanos: 0, costed_quota: 0 }
  for (const { body, quota } of rows) {
    const { cost_nanos } = JSON.parse(body)
    if (cost_nanos === undefined) continue
    costs.cost_nanos += cost_nanos
    costs.costed_quota += quota
  }
  return costs
}

async function expectLogTotals(dimensions: readonly AnalyticsDimension[], grain: Grain = 'day') {
  const { groups, total } = await sumsOf(dimensions, grain)
  const found = {
    requests: total.requests,
    errors: total.errors,
    quota: total.quota,
    prompt:
      total.input_tokens +
      total.cached_input_tokens +
      total.cache_write_tokens +
      total.audio_input_tokens +
      total.image_input_tokens,
    completion: total.output_tokens + total.reasoning_tokens + total.audio_output_tokens,
  }
  expect(found).toEqual((await logTotals()) as typeof found)
  expect({ cost_nanos: total.cost_nanos, costed_quota: total.costed_quota }).toEqual(await receiptCosts())
  expect(groups.reduce((sum, { sums }) => sum + sums.requests, 0)).toBe(total.requests)
  expect(groups.reduce((sum, { sums }) => sum + sums.cost_nanos, 0)).toBe(total.cost_nanos)
}

test('has the totals of the log by every two dimensions, before and after each roll-up', async () => {
  const requests = Array.from({ length: 1300 }, (_, n) => request(n, START + n * 400))
  await insert(requests)
  const pairs: readonly (readonly AnalyticsDimension[])[] = [
    ['model', 'user'],
    ['model', 'channel'],
    ['token', 'dialect'],
    ['error', 'region'],
    ['group'],
    ['user'],
  ]
  const check = async () => {
    for (const pair of pairs) for (const grain of ['hour', 'day'] as const) await expectLogTotals(pair, grain)
  }
  for (const after of [0, 2, 30, 5 * 24, 6 * 24 + 5]) {
    await countAll(START + after * HOUR)
    await check()
    await rollUpTotals(deps(), START + after * HOUR)
    await check()
  }
})

test('counts each request once under faults, restarts and several processes at once', async () => {
  const reasons = ['interrupted']
  /** Ends the work after some transactions, as a stop of the process would. */
  const interrupted = (after: number) => {
    let calls = 0
    const signal = {
      throwIfAborted() {
        calls += 1
        if (calls > after) throw new Error(reasons[0])
      },
    }
    return { ...deps(), signal: Object.assign(new AbortController().signal, signal) }
  }
  const attempt = async (work: Promise<unknown>) => {
    await work.catch((error: Error) => {
      if (!reasons.includes(error.message)) throw error
    })
  }
  for (let round = 0; round < 8; round += 1) {
    const now = START + round * 9 * HOUR
    await insert(Array.from({ length: 700 }, (_, n) => request(round * 700 + n, now - (n % 3) * 5 * HOUR)))
    const until = await newestId()
    await attempt(countNewRequests(interrupted(round % 3), until, now))
    await Promise.all([1, 2, 3].map(() => countNewRequests(deps(), until, now)))
    await expectLogTotals(['model', 'token'])
    for (const after of [0, 1, 2, 5]) {
      await attempt(rollUpTotals(interrupted(after), now))
      await expectLogTotals(['model', 'token'])
      await expectLogTotals(['model', 'region'], 'hour')
    }
    await Promise.all([1, 2].map(() => rollUpTotals(deps(), now)))
    await expectLogTotals(['user', 'dialect'])
    await expectLogTotals(['channel', 'error'])
  }
})

test('keeps its totals when log rows are deleted, and forgets minutes and hours in time', async () => {
  await insert(Array.from({ length: 300 }, (_, n) => request(n, START + n * 600)))
  await countAll(START + 3 * DAY)
  const before = (await sumsOf(['model', 'user'])).total
  await rollUpTotals(deps(), START + 100 * DAY)
  expect(await opened.db.selectFrom('analytics_hours').select('id').execute()).not.toEqual([])
  expect(await findRolledUpUntil(opened.db, 'analytics_hours')).toBe(START)
  await opened.db.deleteFrom('logs').execute()
  await rollUpTotals(deps(), START + 100 * DAY)
  expect(await findRolledUpUntil(opened.db, 'analytics_hours')).toBe(START + 65 * DAY)
  expect((await sumsOf(['model', 'user'])).total).toEqual(before)
  expect((await sumsOf(['model', 'channel'])).total).toEqual(before)
  for (const table of ['analytics_minutes', 'analytics_hours'] as const)
    expect(await opened.db.selectFrom(table).select('id').execute()).toEqual([])
})

test('counts the rows of before newest first, once, while new ones arrive', async () => {
  await insert(Array.from({ length: 1100 }, (_, n) => request(n, START - 90 * DAY + n * 6000)))
  const existing = await newestId()
  const db = opened.db.updateTable('analytics_cursors')
  await db.set({ done: existing }).where('name', 'in', ['requests', 'earlier']).execute()
  await insert(Array.from({ length: 50 }, (_, n) => request(5000 + n, START)))
  expect(await countEarlierRequests(deps(), 500, START)).toBe(true)
  expect((await sumsOf(['model'])).total.requests).toBe(500)
  await countAll(START)
  await rollUpTotals(deps(), START)
  while (await countEarlierRequests(deps(), 500, START));
  await Promise.all([countAll(START), countEarlierRequests(deps(), 500, START)])
  await expectLogTotals(['model', 'user'])
  await rollUpTotals(deps(), START + DAY)
  await expectLogTotals(['model', 'error'])
})

test('counts requests that leave no row, once, and then forgets them', async () => {
  const unlogged = Array.from({ length: 600 }, (_, n) => request(n + 1, START, { quota: 3, type: 2 }))
  await opened.db.connection().execute(db => insertUnloggedRequests(executor(db), unlogged))
  await Promise.all([1, 2, 3].map(() => countAll(START)))
  await countAll(START)
  const { total } = await sumsOf(['model', 'dialect'])
  expect(total).toMatchObject({ requests: 600, quota: 1800 })
  expect(await opened.db.selectFrom('unlogged_requests').select('id').execute()).toEqual([])
})

test('finds percentiles within two percent, over any roll-up and by time', async () => {
  await insert(Array.from({ length: 700 }, (_, n) => request(n, START + (n % 50) * HOUR)))
  const exact = (model: number, share: number) => {
    const values = Array.from({ length: 700 }, (_, n) => n)
      .filter(n => n % 4 === model && n % 7 !== 0)
      .map(n => 1000 + n)
      .sort((a, b) => a - b)
    return values[Math.ceil(values.length * share) - 1] ?? 0
  }
  for (const after of [0, 30, 60]) {
    await countAll(START + 60 * HOUR)
    await rollUpTotals(deps(), START + after * HOUR)
    const query = { range: ALL_TIME, grain: 'day', filter: {} } as const
    const found = await groupPercentiles(opened.db, { ...query, dimensions: ['model'] })
    expect([...found.keys()].sort()).toEqual(['model-0', 'model-1', 'model-2', 'model-3'])
    for (const model of [0, 1, 2, 3]) {
      const { durationP50, durationP95 } = found.get(`model-${model}`) ?? {}
      for (const [value, share] of [
        [durationP50, 0.5],
        [durationP95, 0.95],
      ] as const)
        expect(Math.abs((value ?? 0) / exact(model, share) - 1)).toBeLessThan(RELATIVE_ERROR + 0.001)
    }
    const slot = { seconds: DAY, offsets: [{ from: 0, seconds: 0 }] }
    const bySlot = await percentilesBySlot(opened.db, { ...query, grain: 'hour', slot })
    expect([...bySlot.keys()].map(Number)).toEqual([START, START + DAY, START + 2 * DAY])
  }
})

test('sums by slots of local time, and filters by every dimension', async () => {
  await opened.db
    .insertInto('users')
    .values({ id: 2, username: 'owner', aff_code: 'x', created_at: 1 })
    .execute()
  await opened.db
    .insertInto('tokens')
    .values({ id: 1, user_id: 2, name: '', key_hash: '', key_sealed: '', created_time: 1, accessed_time: 1 })
    .execute()
  await insert(Array.from({ length: 96 }, (_, n) => request(n, START + n * HOUR)))
  await countAll(START + 200 * HOUR)
  for (const until of [START, START + 30 * HOUR, START + 200 * HOUR]) {
    await rollUpTotals(deps(), until)
    const query = { range: ALL_TIME, grain: 'hour', filter: {} } as const
    const days = await sumBySlot(opened.db, {
      ...query,
      slot: { seconds: DAY, offsets: [{ from: 0, seconds: 8 * HOUR }] },
    })
    expect(days.map(({ start, sums }) => [(start - START) / HOUR, sums.requests])).toEqual([
      [0, 16],
      [24, 24],
      [48, 24],
      [72, 24],
      [96, 8],
    ])
    const offsets = [
      { from: 0, seconds: 8 * HOUR },
      { from: START + 30 * HOUR, seconds: 7 * HOUR },
    ]
    const changed = await sumBySlot(opened.db, { ...query, slot: { seconds: DAY, offsets } })
    expect(changed.map(({ sums }) => sums.requests)).toEqual([16, 25, 24, 24, 7])
    const split = { dimension: 'user', values: [1, 3] } as const
    const slots = await sumBySlot(opened.db, {
      ...query,
      slot: { seconds: 7 * DAY, offsets: [{ from: 0, seconds: 0 }] },
      split,
    })
    expect(slots.reduce((sum, { sums }) => sum + sums.requests, 0)).toBe(39)
    expect(new Set(slots.map(({ value }) => value))).toEqual(new Set(['1', '3']))
    const filters = {
      model: ['model-0'],
      user: [1, 2],
      channel: [1],
      group: ['vip'],
      dialect: ['openai', 'anthropic'],
      error: [''],
      region: ['eu'],
    }
    const { total } = await groupTotals(opened.db, {
      ...query,
      filter: filters,
      dimensions: ['model'],
      rankBy: 'margin',
      limit: 3,
      leaderLimit: 8,
    })
    const matching = Array.from({ length: 96 }, (_, n) => n).filter(
      n => n % 4 === 0 && n % 5 < 2 && n % 7 !== 0,
    )
    expect(total.requests).toBe(matching.length)
    const owned = await groupTotals(opened.db, {
      ...query,
      filter: { token: [1] },
      dimensions: ['user'],
      rankBy: 'requests',
      limit: 3,
      leaderLimit: 8,
    })
    expect(owned.groups.map(({ values }) => values)).toEqual([['2']])
    const none = await groupTotals(opened.db, {
      ...query,
      filter: { model: [] },
      dimensions: ['model'],
      rankBy: 'tokens',
      limit: 3,
      leaderLimit: 8,
    })
    expect(none).toMatchObject({ groups: [], isCut: false })
  }
})
