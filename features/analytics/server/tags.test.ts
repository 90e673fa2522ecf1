import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { countAllRequests } from '#server/db/usage/count-requests.ts'
import { rollUpTotals } from '#server/db/usage/roll-up-totals.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { exportAnalytics, getAnalytics, getSelfAnalytics } from '../contract.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const NOW = 20_400 * DAY + 12 * HOUR
const START = NOW - 12 * HOUR
const engine = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite'

let app: TestApp
let anna: TestClient
let restoreClock: () => void
beforeEach(async () => {
  app = await openTestApp()
  restoreClock = setClock({ nowMs: () => NOW * 1000, elapsedMs: () => performance.now() })
  anna = await app.addUser({ username: 'anna' })
  await used({ quota: 10, tags: { project: 'web', env: 'prod' } })
  await used({ quota: 20, tags: { project: 'web', env: 'dev' }, model: 'b' })
  await used({ quota: 40, tags: { project: 'app' }, at: START + 3 * HOUR })
  await used({ quota: 80, tags: { env: 'prod' }, model: 'b' })
  await used({ quota: 160, use_ms: 9000 })
  await used({ quota: 320, tags: { project: 'web' }, client: app.root })
  await countAll()
})
afterEach(async () => {
  restoreClock()
  await app.close()
})

const countAll = () => countAllRequests({ db: app.db, engine, reader: app.db }, NOW)

interface Use {
  readonly quota: number
  readonly tags?: Readonly<Record<string, string>>
  readonly model?: string
  readonly at?: number
  readonly client?: TestClient
  readonly use_ms?: number
}

let number = 0
async function used({ quota, tags = {}, model = 'a', at = START, client = anna, use_ms = 100 }: Use) {
  number += 1
  const request_id = `request-${number}`
  const counts = { prompt_tokens: 3, completion_tokens: 4, use_time: 1, is_stream: 0 } as const
  const { id } = await app.db
    .insertInto('logs')
    .values({
      ...{
        request_id,
        user_id: client.id,
        created_at: at,
        type: 2,
        username: '',
        token_id: 0,
        token_name: '',
      },
      ...{ model_name: model, channel_id: 1, group: 'default', quota, content: '', ...counts },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const body = JSON.stringify({ use_ms, dialect: 'openai', usage: { input: 3, output: 4 } })
  await app.db.insertInto('receipts').values({ log_id: id, body }).execute()
  for (const [key, value] of Object.entries(tags))
    await app.db
      .insertInto('request_tags')
      .values({ request_id, key, value, created_at: at - 5 })
      .execute()
}

const period = { start_timestamp: START, end_timestamp: NOW }

async function quotas(query: Record<string, string>, client: TestClient = app.root) {
  const endpoint = client === app.root ? getAnalytics : getSelfAnalytics
  const { data } = await client.call(endpoint, { query: { ...period, measure: 'revenue', ...query } })
  const groups = data.groups.map(({ value, second_value, figures }) => [value, second_value, figures.quota])
  return { groups, total: data.total.quota }
}

const BY_PROJECT = { by: 'tag', tag_key: 'project' }

describe('200', () => {
  test('groups by the values of a key and what has none, which add up to all requests', async () => {
    const expected = {
      groups: [
        ['web', '', 350],
        ['', '', 240],
        ['app', '', 40],
      ],
      total: 630,
    }
    expect(await quotas(BY_PROJECT)).toEqual(expected)
    await rollUpTotals({ db: app.db, reader: app.db }, NOW + 2 * DAY)
    for (const bucket of ['hour', 'day']) expect(await quotas({ ...BY_PROJECT, bucket })).toEqual(expected)
  })

  test('goes with another dimension, on either side, and with its filters', async () => {
    expect((await quotas({ ...BY_PROJECT, second: 'model' })).groups).toContainEqual(['web', 'b', 20])
    expect((await quotas({ by: 'model', second: 'tag', tag_key: 'env' })).groups).toEqual([
      ['a', '', 520],
      ['b', 'prod', 80],
      ['b', 'dev', 20],
      ['a', 'prod', 10],
    ])
    expect(await quotas({ ...BY_PROJECT, model_name: 'b' })).toEqual({
      groups: [
        ['', '', 80],
        ['web', '', 20],
      ],
      total: 100,
    })
  })

  test('filters by a tag, or by a key with any value, and groups by another key', async () => {
    expect((await quotas({ tag: 'project=web' })).total).toBe(350)
    expect((await quotas({ tag: 'project' })).total).toBe(390)
    expect((await quotas({ tag: 'project=none' })).total).toBe(0)
    expect(await quotas({ by: 'tag', tag_key: 'env', tag: 'project=web' })).toEqual({
      groups: [
        ['', '', 320],
        ['dev', '', 20],
        ['prod', '', 10],
      ],
      total: 350,
    })
    expect((await quotas({ by: 'tag', tag_key: 'unused' })).groups).toEqual([['', '', 630]])
  })

  test('shows the values over time, and the rest beside them', async () => {
    const query = { ...period, by: 'tag', tag_key: 'project', bucket: 'hour', measure: 'revenue' } as const
    const { slots, series } = (await app.root.call(getAnalytics, { query })).data
    const sums = series.map(({ value, numbers }) => [
      value,
      numbers.reduce((sum: number, n) => sum + (n ?? 0), 0),
    ])
    expect(sums).toEqual([
      ['web', 700_000],
      ['', 480_000],
      ['app', 80_000],
    ])
    expect(series.find(({ value }) => value === 'app')?.numbers[slots.indexOf(START + 3 * HOUR)]).toBe(80_000)
  })

  test('subtracts tagged requests from the percentiles of the others, too', async () => {
    const query = { ...period, by: 'tag', tag_key: 'project', measure: 'duration_p50', tag: '' } as const
    const { groups } = (await app.root.call(getAnalytics, { query: { ...query, model_name: 'a' } })).data
    const p50 = groups.map(({ value, figures }) => [value, Math.round((figures.duration_p50 ?? 0) / 100)])
    expect(p50.sort()).toEqual([
      ['', 90],
      ['app', 1],
      ['web', 1],
    ])
  })

  test('keeps the total when log rows are deleted, and counts no row that the total lacks', async () => {
    await used({ quota: 1000, tags: { project: 'web' } })
    expect((await quotas(BY_PROJECT)).total).toBe(630)
    expect((await quotas({ tag: 'project=web' })).total).toBe(350)
    await countAll()
    expect((await quotas(BY_PROJECT)).groups[0]).toEqual(['web', '', 1350])
    await app.db.deleteFrom('logs').execute()
    expect(await quotas(BY_PROJECT)).toEqual({ groups: [['', '', 1630]], total: 1630 })
  })

  test('shows users the tags of their own requests', async () => {
    expect(await quotas(BY_PROJECT, anna)).toEqual({
      groups: [
        ['', '', 240],
        ['app', '', 40],
        ['web', '', 30],
      ],
      total: 310,
    })
  })

  test('exports the values as CSV', async () => {
    const query = `by=tag&tag_key=project&measure=revenue&start_timestamp=${START}&end_timestamp=${NOW}`
    const text = await (await app.root.fetch(`${exportAnalytics.path}?${query}`)).text()
    const lines = text
      .trim()
      .split('\r\n')
      .map(line => line.split(',').slice(0, 2).join(','))
    expect(lines).toEqual(['tag,requests', 'web,3', ',2', 'app,1', '(total),6'])
  })
})

describe('400', () => {
  test('rejects a dimension without a key, and more than 92 days', async () => {
    const codeOf = async (query: Record<string, string | number>) =>
      (await app.root.call(getAnalytics, { query })).code
    expect(await codeOf({ by: 'tag' })).toBe('analytics.tag_key_missing')
    expect(await codeOf({ second: 'tag' })).toBe('analytics.tag_key_missing')
    expect(await codeOf({ tag: 'project=web', start_timestamp: NOW - 93 * DAY })).toBe(
      'analytics.tags_too_long',
    )
  })
})
