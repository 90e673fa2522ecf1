import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LOG_TYPE } from '#contract/enums.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { setClock } from '#server/core/clock.ts'
import { newRequestId } from '#server/core/ids.ts'
import { noopLogger } from '#server/core/logger.ts'
import { quota } from '#server/core/money.ts'
import { detectEngine } from '#server/db/engine/database.ts'
import { openLedger } from '#server/ledger/ledger.ts'
import { LEDGER_OPTIONS } from '#server/ledger/testing.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { listLogErrors, listSelfLogErrors } from '../contract/log-errors.ts'
import * as endpoints from '../contract/logs.ts'

const HOUR = 3600
const NOW = 1_700_000_400 - (1_700_000_400 % HOUR) + 600
const LIMITED = { status: 429, code: 'rate_limited' }
const BROKEN = { status: 502, code: 'upstream_unreachable, twice' }

let app: TestApp
let anna: TestClient
let bert: TestClient
let clock = NOW
let restore: () => void

beforeAll(async () => {
  restore = setClock({ nowMs: () => clock * 1000, elapsedMs: () => clock * 1000 })
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna', quota: 1_000_000 })
  bert = await app.addUser({ username: 'bert', quota: 1_000_000 })
  for (const name of ['first', 'second'])
    await app.root.call(createChannels, { body: { type: 1, name, key: 'k', models: 'm', group: 'default' } })
  await recordRequests()
})
afterAll(async () => {
  await app.close()
  restore()
})

/** Six failures of three errors and a success, all but the oldest within two hours. */
async function recordRequests(): Promise<void> {
  const ledger = openLedger({
    db: app.db,
    engine: detectEngine(process.env.TEST_DATABASE_URL ?? ''),
    log: noopLogger,
    processId: 'p',
    options: () => LEDGER_OPTIONS,
  })
  const request = async (
    client: TestClient,
    receipt: { status: number; code: string } | undefined,
    { at = 0, channelId = 1, modelName = 'gpt-4o' } = {},
  ) => {
    clock = NOW - at
    const caller = { username: client === anna ? 'anna' : 'bert', tokenName: 'prod', group: 'default' }
    const figures = { promptTokens: 1, completionTokens: 2, useTimeSeconds: 1, isStream: false, content: '' }
    const entry = { ...caller, ...figures, modelName, channelId }
    const hold = await ledger.reserve({
      requestId: newRequestId(),
      userId: client.id,
      tokenId: null,
      isTokenLimited: false,
      amount: quota(5),
    })
    if (receipt) await ledger.release(hold, { entry, receipt })
    else await ledger.settle(hold, { amount: quota(5), entry, receipt: {} })
    clock = NOW
  }
  await request(anna, LIMITED, { at: 30 * 24 * HOUR, channelId: 2 })
  await request(anna, undefined)
  await request(anna, LIMITED, { at: HOUR })
  await request(anna, LIMITED, { modelName: 'o3' })
  await request(bert, LIMITED, { channelId: 2, at: 60 })
  await request(bert, LIMITED, { channelId: 2, at: 120 })
  await request(bert, BROKEN, { channelId: 0 })
  await ledger.close()
}

const RECENT = { start_timestamp: NOW - 2 * HOUR }
const LIMITED_ERROR = '429 rate_limited'
const BROKEN_ERROR = '502 upstream_unreachable, twice'

describe('errors of the log', () => {
  test('names the most frequent failures with channels, models, users and the last time', async () => {
    const { data } = await app.root.call(listLogErrors, { query: RECENT })
    expect(data).toEqual([
      {
        error: LIMITED_ERROR,
        ...LIMITED,
        count: 4,
        last_at: NOW,
        users: 2,
        channels: [
          { id: 1, value: 'first', count: 2 },
          { id: 2, value: 'second', count: 2 },
        ],
        models: [
          { value: 'gpt-4o', count: 3 },
          { value: 'o3', count: 1 },
        ],
      },
      {
        error: BROKEN_ERROR,
        ...BROKEN,
        count: 1,
        last_at: NOW,
        users: 1,
        channels: [],
        models: [{ value: 'gpt-4o', count: 1 }],
      },
    ])
  })

  test("shows users their own errors only, without channels and others' users", async () => {
    const { data } = await anna.call(listSelfLogErrors, { query: RECENT })
    const models = [
      { value: 'gpt-4o', count: 1 },
      { value: 'o3', count: 1 },
    ]
    expect(data).toEqual([
      { error: LIMITED_ERROR, ...LIMITED, count: 2, last_at: NOW, users: 0, channels: [], models },
    ])
  })

  test('applies the other filters', async () => {
    const query = { ...RECENT, channel: 2, error: '4%' }
    const { data } = await app.root.call(listLogErrors, { query })
    expect(data.map(({ error, count }) => [error, count])).toEqual([[LIMITED_ERROR, 2]])
    const excluded = await app.root.call(listLogErrors, { query: { ...RECENT, not_username: 'bert' } })
    expect(excluded.data.map(({ count }) => count)).toEqual([2])
  })
})

describe('the filter by error', () => {
  const list = async (error: string, query: object = {}) =>
    (await app.root.call(endpoints.listLogs, { query: { ...RECENT, ...query, error } })).data

  test('lists and counts failed requests of exact errors, one per line, and of patterns', async () => {
    for (const [error, total] of [
      [LIMITED_ERROR, 4],
      [BROKEN_ERROR, 1],
      [`${LIMITED_ERROR}\n${BROKEN_ERROR}`, 5],
      ['5%', 1],
      ['% rate_limited', 4],
      ['429', 0],
    ] as const)
      expect(await list(error)).toMatchObject({ total })
    const page = await list(LIMITED_ERROR, { page_size: 3, p: 2 })
    expect(page.items).toHaveLength(1)
    expect(page.items[0]).toMatchObject({ type: LOG_TYPE.failure, created_at: NOW - HOUR })
  })

  test('restricts totals, chart and the other filter values to those requests', async () => {
    const query = { ...RECENT, error: LIMITED_ERROR }
    expect((await app.root.call(endpoints.getLogStat, { query })).data).toMatchObject({ count: 4, errors: 4 })
    const { points } = (await app.root.call(endpoints.getLogHistogram, { query })).data
    expect(points.map(({ name, count }) => [name, count])).toEqual([
      ['error', 1],
      ['error', 3],
    ])
    const facets = (await app.root.call(endpoints.getLogFacets, { query })).data
    expect(facets).toMatchObject({
      channels: [{ count: 2 }, { count: 2 }],
      models: [{ value: 'gpt-4o', count: 3 }, { value: 'o3' }],
      types: [{ value: '5', count: 4 }],
      users: [{ count: 2 }, { count: 2 }],
      errors: [
        { value: LIMITED_ERROR, count: 4 },
        { value: BROKEN_ERROR, count: 1 },
      ],
    })
    const own = (await bert.call(endpoints.getSelfLogFacets, { query })).data
    expect(own).toMatchObject({ channels: [], users: [], errors: [{ count: 2 }, { count: 1 }] })
  })

  test("never finds another user's rows", async () => {
    const { data } = await anna.call(endpoints.listSelfLogs, { query: { error: BROKEN_ERROR } })
    expect(data).toMatchObject({ items: [], total: 0 })
  })
})
