import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ANALYTICS_DIMENSIONS, ANALYTICS_MEASURES } from '#contract/enums.ts'
import { nanosToDollars } from '#server/api/csv.ts'
import { setClock } from '#server/core/clock.ts'
import { countAllRequests } from '#server/db/usage/count-requests.ts'
import { rollUpTotals } from '#server/db/usage/roll-up-totals.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { exportAnalytics, exportSelfAnalytics, getAnalytics, getSelfAnalytics } from '../contract.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const NOW = 20_400 * DAY + 12 * HOUR
const START = NOW - 12 * HOUR

let app: TestApp
let admin: TestClient
let anna: TestClient
let bert: TestClient
let restoreClock: () => void
beforeEach(async () => {
  app = await openTestApp()
  restoreClock = setClock({ nowMs: () => NOW * 1000, elapsedMs: () => performance.now() })
  admin = await app.addUser({ username: 'boss', role: 'admin' })
  anna = await app.addUser({ username: 'anna' })
  bert = await app.addUser({ username: 'bert' })
  await app.db
    .insertInto('channels')
    .values({
      id: 7,
      type: 1,
      name: 'secret channel',
      key_hash: '',
      key_sealed: '',
      created_time: 1,
      models: '',
    })
    .execute()
  await used(anna, { model_name: 'a', quota: 10 })
  await used(anna, { model_name: 'a', quota: 20, created_at: START - DAY + HOUR })
  await used(anna, { model_name: 'b', quota: 5, created_at: START + 2 * HOUR })
  await used(anna, { model_name: 'a', quota: 0, type: 5, error: '429 rate_limited' })
  await used(bert, { model_name: 'c', quota: 100, channel_id: 7, group: 'secret group' })
  await countAllRequests({ db: app.db, engine: testEngine(), reader: app.db }, NOW)
})
afterEach(async () => {
  restoreClock()
  await app.close()
})

const testEngine = () => (process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite')

async function used(client: TestClient, row: Record<string, string | number>): Promise<void> {
  const { id } = await app.db
    .insertInto('logs')
    .values({
      request_id: 'r',
      user_id: client.id,
      created_at: START,
      type: 2,
      username: '',
      token_id: 0,
      token_name: '',
      model_name: '',
      channel_id: 1,
      group: 'default',
      quota: 0,
      prompt_tokens: 3,
      completion_tokens: 4,
      use_time: 1,
      is_stream: 0,
      content: '',
      ...row,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const body = {
    use_ms: 1000,
    dialect: 'anthropic',
    usage: { input: 3, output: 4 },
    ...(row.type !== 5 && { frt_ms: 50 }),
  }
  await app.db
    .insertInto('receipts')
    .values({ log_id: id, body: JSON.stringify(body) })
    .execute()
}

const today = { start_timestamp: START, end_timestamp: NOW }

describe('200', () => {
  test('groups the requests of all users by two dimensions, largest first, with the period before', async () => {
    const { data } = await admin.call(getAnalytics, {
      query: {
        ...today,
        start_timestamp: START,
        by: 'model',
        second: 'user',
        measure: 'revenue',
        compare: true,
      },
    })
    expect(
      data?.groups.map(({ name, second_name, figures }) => [
        name,
        second_name,
        figures.requests,
        figures.quota,
      ]),
    ).toEqual([
      ['c', 'bert', 1, 100],
      ['a', 'anna', 2, 10],
      ['b', 'anna', 1, 5],
    ])
    expect(data?.total).toMatchObject({
      requests: 4,
      errors: 1,
      quota: 115,
      input_tokens: 12,
      output_tokens: 16,
    })
    expect(data?.previous_total).toMatchObject({ requests: 0 })
    expect(
      data?.series.map(({ name, numbers }) => [name, numbers.reduce((sum: number, n) => sum + (n ?? 0), 0)]),
    ).toEqual([
      ['c', 200_000],
      ['a', 20_000],
      ['b', 10_000],
    ])
    expect(data?.slots).toHaveLength(144)
  })

  test('compares with the period of the same length before', async () => {
    const query = { ...today, end_timestamp: START + DAY, by: 'model', compare: true } as const
    const { data } = await admin.call(getAnalytics, { query })
    const found = data?.groups.find(({ name }) => name === 'a')
    expect([found?.figures.quota, found?.previous?.quota]).toEqual([10, 20])
    expect(data?.previous_total).toMatchObject({ requests: 1, quota: 20 })
  })

  test('answers every pair of dimensions and every measure, before and after roll-ups', async () => {
    const pairs = ANALYTICS_DIMENSIONS.flatMap(by => ANALYTICS_DIMENSIONS.map(second => ({ by, second })))
    const measured = ANALYTICS_MEASURES.flatMap(measure =>
      (['', 'hour', 'day', 'week'] as const).map(bucket => ({ measure, bucket })),
    )
    const check = async () => {
      for (const query of [...pairs, ...measured]) {
        const { data } = await admin.call(getAnalytics, {
          query: { start_timestamp: NOW - 30 * DAY, tag_key: 'project', ...query },
        })
        expect(data?.total.requests).toBe(5)
        expect(data?.groups.reduce((sum, { figures }) => sum + figures.requests, 0)).toBe(5)
      }
    }
    await check()
    await rollUpTotals({ db: app.db, reader: app.db }, NOW + 2 * DAY)
    await check()
  })

  test('shows users only their own requests, and neither channels nor cost', async () => {
    const response = await anna.call(getSelfAnalytics, {
      query: { ...today, second: 'group', compare: true },
    })
    expect(response.data?.total.requests).toBe(3)
    const text = JSON.stringify(response)
    for (const hidden of ['bert', 'secret', 'cost', 'margin', 'channel']) expect(text).not.toContain(hidden)
    for (const query of [{ by: 'user' }, { by: 'channel' }, { second: 'user' }, { measure: 'margin' }])
      expect(await anna.call(getSelfAnalytics, { query: query })).toMatchObject({ success: false })
    const others = { username: 'bert', channel: '7', ...today }
    expect((await anna.call(getSelfAnalytics, { query: others })).data?.total.requests).toBe(3)
  })

  test('filters by each dimension, and finds nothing for names that do not exist', async () => {
    const count = async (query: Record<string, string>) =>
      (await admin.call(getAnalytics, { query: { ...today, ...query } })).data?.total.requests
    expect(await count({ model_name: 'a,b' })).toBe(3)
    expect(await count({ username: 'bert' })).toBe(1)
    expect(await count({ username: 'nobody' })).toBe(0)
    expect(await count({ channel: '7' })).toBe(1)
    expect(await count({ group: 'secret group' })).toBe(1)
    expect(await count({ dialect: 'anthropic' })).toBe(4)
    expect(await count({ error: '429 rate_limited' })).toBe(1)
    expect(await count({ region: 'eu' })).toBe(0)
    expect(await count({ token_name: 'none' })).toBe(0)
  })

  test('has percentiles of charged requests where they are measured', async () => {
    const { data } = await admin.call(getAnalytics, { query: { ...today, measure: 'duration_p95' } })
    expect(Math.abs((data?.total.duration_p95 ?? 0) - 1000)).toBeLessThan(20)
    expect(Math.abs((data?.groups[0]?.figures.first_token_p50 ?? 0) - 50)).toBeLessThan(2)
    expect(data?.series.every(({ is_other }) => !is_other)).toBe(true)
  })

  test('exports amounts in dollars with a total, in a file named after its content', async () => {
    const period = `start_timestamp=${START}&end_timestamp=${NOW}`
    const response = await admin.fetch(`${exportAnalytics.path}?${period}&second=channel&measure=revenue`)
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="analytics-by-model-and-channel-2025-11-08-to-2025-11-08.csv"',
    )
    const lines = (await response.text()).replace('\uFEFF', '').trim().split('\r\n')
    expect(lines[0]).toStartWith('model,channel,requests,errors,revenue_usd,cost_usd,margin_usd,input_tokens')
    expect(lines[1]).toStartWith('c,secret channel,1,0,0.0002,,,3')
    expect(lines.at(-1)).toStartWith('(total),,4,1,0.00023,,,12')
    const own = await anna.fetch(`${exportSelfAnalytics.path}?${period}`)
    const text = await own.text()
    expect(text).toContain('(total),3,1,0.00003,9')
    expect(text).not.toContain('cost')
  })
})

describe('400', () => {
  test('rejects periods that are reversed, too long, or too long for their bucket', async () => {
    const codeOf = async (query: Record<string, string | number>) =>
      (await admin.call(getAnalytics, { query: query })).code
    expect(await codeOf({ time_zone: 'Mars/Base' })).toBe('invalid_parameter')
    expect(await codeOf({ start_timestamp: NOW, end_timestamp: START })).toBe('analytics.period_reversed')
    expect(await codeOf({ start_timestamp: 1 })).toBe('analytics.period_too_long')
    expect(await codeOf({ start_timestamp: NOW - 3 * DAY, bucket: 'minute' })).toBe('analytics.minutes_gone')
    expect(await codeOf({ start_timestamp: NOW - 47 * HOUR, bucket: 'minute' })).toBe(
      'analytics.too_many_slots',
    )
  })
})

test('writes dollars with all their digits', () => {
  expect([0, 1, -1, 2000, 1_500_000_000, -12_000_000_000].map(nanosToDollars)).toEqual([
    '0',
    '0.000000001',
    '-0.000000001',
    '0.000002',
    '1.5',
    '-12',
  ])
})
