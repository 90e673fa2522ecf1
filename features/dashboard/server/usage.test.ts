import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addToUsageHours } from '#server/db/usage/usage-hours.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { listSelfUsage, listUsage } from '../contract.ts'

const HOUR = 3600
const START = 1_700_000_000 - (1_700_000_000 % HOUR)

let app: TestApp
let anna: TestClient
let bert: TestClient
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
  bert = await app.addUser({ username: 'bert' })
  await used(anna, { model_name: 'a', quota: 10 })
  await used(anna, { model_name: 'a', quota: 20, token_id: 2 })
  await used(anna, { model_name: 'b', quota: 5, hour: START + HOUR })
  await used(anna, { model_name: 'a', quota: 0, type: 5 })
  await used(bert, { model_name: 'a', quota: 100 })
})
afterEach(() => app.close())

const used = (
  client: TestClient,
  usage: { model_name: string; quota: number; hour?: number; token_id?: number; type?: number },
) =>
  addToUsageHours(app.db, [
    {
      hour: START,
      user_id: client.id,
      token_id: 1,
      channel_id: 1,
      group: 'default',
      type: 2,
      count: 1,
      prompt_tokens: 3,
      completion_tokens: 4,
      ...usage,
    },
  ])

const total = { start_timestamp: START, end_timestamp: START + 2 * HOUR }

describe('200', () => {
  test("lists the caller's usage by model and hour, oldest first", async () => {
    expect((await anna.call(listSelfUsage, { query: total })).data).toEqual([
      {
        id: 1,
        user_id: anna.id,
        username: 'anna',
        model_name: 'a',
        created_at: START,
        token_used: 14,
        count: 2,
        quota: 30,
      },
      {
        id: 2,
        user_id: anna.id,
        username: 'anna',
        model_name: 'b',
        created_at: START + HOUR,
        token_used: 7,
        count: 1,
        quota: 5,
      },
    ])
  })

  test('lists the usage of all users together or of one for administrators', async () => {
    const all = (await app.root.call(listUsage, { query: total })).data
    expect(all.map(row => [row.user_id, row.username, row.quota])).toEqual([
      [0, '', 130],
      [0, '', 5],
    ])
    const one = (await app.root.call(listUsage, { query: { ...total, username: 'bert' } })).data
    expect(one.map(row => [row.user_id, row.quota])).toEqual([[bert.id, 100]])
    expect((await app.root.call(listUsage, { query: { ...total, username: 'nobody' } })).data).toEqual([])
  })

  test('includes the full hour of a short range and treats open ends as now', async () => {
    const within = { start_timestamp: START + 10, end_timestamp: START + 20 }
    expect((await anna.call(listSelfUsage, { query: within })).data).toMatchObject([{ quota: 30 }])
    expect((await anna.call(listSelfUsage)).data).toEqual([])
    expect((await app.root.call(listUsage)).data).toHaveLength(2)
  })
})

describe('errors', () => {
  test('lists nothing for a range before the first second of 1970', async () => {
    expect((await anna.call(listSelfUsage, { query: { end_timestamp: 1 } })).data).toEqual([])
  })

  test('rejects a range of more than 30 days', async () => {
    const query = { start_timestamp: START, end_timestamp: START + 30 * 24 * HOUR + 1 }
    expect((await anna.call(listSelfUsage, { query })).code).toBe('usage.span_too_long')
  })
})
