import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { listModelHours } from '#features/dashboard/server/queries.ts'
import { countByHour, sumByBucket } from '#features/logs/server/queries/usage-reads.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { ALL_LOGS } from '../logs/log-filter.ts'
import { openTestDatabase } from '../testing.ts'
import { rollUpHours } from './roll-ups.ts'
import { addToUsageHours } from './usage-hours.ts'

const HOUR = 3600
const START = 480_000 * HOUR

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const add = (
  hour: number,
  columns: Partial<Record<'user_id' | 'token_id' | 'channel_id' | 'type', number>> = {},
) =>
  addToUsageHours(opened.db, [
    {
      hour: START + hour * HOUR,
      user_id: 1,
      token_id: 1,
      channel_id: 1,
      model_name: 'a',
      group: 'default',
      type: 2,
      count: 1,
      quota: 10,
      prompt_tokens: 3,
      completion_tokens: 2,
      ...columns,
    },
  ])

const sums = () =>
  opened.db.selectFrom('gateway_hours').select(['hour', 'count', 'quota']).orderBy('hour').execute()

test('rolls completed hours up over all users once, however many concurrent calls', async () => {
  for (const user_id of [1, 2, 3]) await add(0, { user_id })
  await add(30)
  await add(31)
  const now = START + 32.5 * HOUR
  await Promise.all([
    rollUpHours({ db: opened.db, reader: opened.db }, now),
    rollUpHours({ db: opened.db, reader: opened.db }, now),
  ])
  await rollUpHours({ db: opened.db, reader: opened.db }, now)
  expect(await sums()).toEqual([
    { hour: START, count: 3, quota: 30 },
    { hour: START + 30 * HOUR, count: 1, quota: 10 },
  ])
  await rollUpHours({ db: opened.db, reader: opened.db }, START + 40 * HOUR)
  expect(await sums()).toHaveLength(3)
})

test('returns the same counts and buckets however many hours are rolled up', async () => {
  await opened.db
    .insertInto('tokens')
    .values({ id: 1, user_id: 2, name: '', key_hash: '', key_sealed: '', created_time: 1, accessed_time: 1 })
    .execute()
  for (let hour = 0; hour < 60; hour += 1)
    await add(hour, {
      user_id: (hour % 3) + 1,
      channel_id: (hour % 2) + 1,
      type: hour % 5 === 0 ? 5 : 2,
      token_id: hour % 3,
    })
  const filters = [
    ALL_LOGS,
    { ...ALL_LOGS, userIds: [2] },
    { ...ALL_LOGS, channelId: 1, types: [2] },
    { ...ALL_LOGS, tokenIds: [1] },
    { ...ALL_LOGS, without: { ...ALL_LOGS.exclude, userIds: [2] } },
    { ...ALL_LOGS, without: { ...ALL_LOGS.exclude, tokenIds: [1] } },
    { ...ALL_LOGS, without: { ...ALL_LOGS.exclude, playgroundGroups: ['default'] } },
    { ...ALL_LOGS, without: { ...ALL_LOGS.exclude, channelIds: [2], types: [5] } },
    {
      ...ALL_LOGS,
      channelId: 1,
      without: { ...ALL_LOGS.exclude, types: [5], userIds: [1], tokenIds: [2] },
    },
  ]
  const read = (from: number, until: number) => {
    const range = { from: START + from * HOUR, until: START + until * HOUR }
    return Promise.all([
      listModelHours(opened.db, { userId: undefined, from: range.from, to: range.until, limit: 30 }),
      ...filters.flatMap(filter => {
        const buckets = {
          range: { ...range, hours: range, edges: [] },
          slot: { seconds: 24 * HOUR, offsets: [{ from: 0, seconds: 8 * HOUR }] },
          split: 'model',
        } as const
        return [countByHour(opened.db, filter, range), sumByBucket(opened.db, filter, buckets)]
      }),
    ])
  }
  const hour = fc.integer({ min: 0, max: 62 })
  const ranges = fc.sample(fc.tuple(hour, hour), { numRuns: 12, seed: 7 })
  const before = await Promise.all(ranges.map(range => read(...range)))
  for (const until of [20, 45, 70]) {
    await rollUpHours({ db: opened.db, reader: opened.db }, START + until * HOUR)
    expect(await Promise.all(ranges.map(range => read(...range)))).toEqual(before)
  }
})
