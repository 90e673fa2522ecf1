import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { countByValues } from '#features/logs/server/queries/usage-reads.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { ALL_LOGS } from '../logs/log-filter.ts'
import { openTestDatabase } from '../testing.ts'
import { rollUpDays, rollUpGatewayDays, rollUpHours } from './roll-ups.ts'
import { DAY_SECONDS, findRolledUpUntil, splitAtDays } from './usage-days.ts'
import { addToUsageHours } from './usage-hours.ts'
import { sumUsage } from './usage-reads.ts'

const DAY = 20_000 * DAY_SECONDS
const HOUR = 3600

/** More than one read of a roll-up returns. */
const KEYS = 5300

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const deps = () => ({ db: opened.db, reader: opened.db })

const add = (
  hour: number,
  columns: { model_name?: string; user_id?: number; token_id?: number; type?: number } = {},
) =>
  addToUsageHours(opened.db, [
    {
      hour,
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

test('rolls completed days up once, however many concurrent calls', async () => {
  for (const hour of [DAY, DAY + HOUR, DAY + DAY_SECONDS, DAY + 4 * DAY_SECONDS]) await add(hour)
  await Promise.all([
    rollUpDays(deps(), DAY + 2.5 * DAY_SECONDS),
    rollUpDays(deps(), DAY + 2.5 * DAY_SECONDS),
  ])
  expect(await rollUpDays(deps(), DAY + 2.5 * DAY_SECONDS)).toBe(0)
  const rows = await opened.db.selectFrom('usage_days').selectAll().orderBy('day').execute()
  expect(rows).toMatchObject([
    { day: DAY, count: 2, quota: 20 },
    { day: DAY + DAY_SECONDS, count: 1, quota: 10 },
  ])
  expect(await findRolledUpUntil(opened.db, 'usage_days')).toBe(DAY + 2 * DAY_SECONDS)
})

test('rolls a day up an hour after its end', async () => {
  await add(DAY)
  expect(await rollUpDays(deps(), DAY + DAY_SECONDS + HOUR - 1)).toBe(0)
  expect(await rollUpDays(deps(), DAY + DAY_SECONDS + HOUR)).toBe(1)
})

test('rolls up a day with more rows than are read at once', async () => {
  const numbers = sql`(with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n + 1 < ${sql.lit(KEYS)})
    select n from numbers) as numbers`
  await sql`insert into usage_hours select ${sql.lit(DAY)} + (n % 24) * 3600, n % 70, n, 1, 'model ' || n % 3, '', 2, 1, n, 1, 1
    from ${numbers}`.execute(opened.db)
  await rollUpDays(deps(), DAY + 1.5 * DAY_SECONDS)
  const { rows } =
    await sql<object>`select count(*) as count, count(distinct token_id) as tokens, sum(quota) as quota
    from usage_days`.execute(opened.db)
  const counts = Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)])
  expect(Object.fromEntries(counts)).toEqual({ count: KEYS, tokens: KEYS, quota: (KEYS * (KEYS - 1)) / 2 })
})

test('reads the hours of a day that a stopped roll-up has written in part, and completes it later', async () => {
  for (const token_id of [1, 2, 3]) await add(DAY, { token_id })
  const stopping = AbortSignal.abort(new Error('stopping'))
  const part = {
    hour: DAY,
    user_id: 1,
    token_id: 1,
    channel_id: 1,
    model_name: 'a',
    group: 'default',
    type: 2,
  }
  const { hour: day, ...key } = part
  const sums = { count: 1, quota: 10, prompt_tokens: 3, completion_tokens: 2 }
  await opened.db
    .insertInto('usage_days')
    .values({ day, ...key, ...sums })
    .execute()
  const stopped = rollUpDays({ ...deps(), signal: stopping }, DAY + 1.5 * DAY_SECONDS)
  await expect(stopped).rejects.toThrow('stopping')
  const range = { from: DAY, until: DAY + DAY_SECONDS }
  expect(await sumUsage(opened.db, { ...ALL_LOGS, userIds: [1] }, range)).toMatchObject({
    count: 3,
    quota: 30,
  })
  expect(await rollUpDays(deps(), DAY + 1.5 * DAY_SECONDS)).toBe(1)
  expect(await sumUsage(opened.db, { ...ALL_LOGS, userIds: [1] }, range)).toMatchObject({
    count: 3,
    quota: 30,
  })
})

test('splits a range into rolled-up days and the remaining hours without gap or overlap', () => {
  const hours = fc.integer({ min: 0, max: 200 }).map(count => DAY + count * HOUR)
  fc.assert(
    fc.property(hours, hours, fc.integer({ min: 0, max: 9 }), (from, until, days) => {
      const { days: fullDays, hours: partial } = splitAtDays({ from, until }, DAY + days * DAY_SECONDS)
      const parts = [partial[0], fullDays, partial[1]].filter(part => part.from < part.until)
      const length = parts.reduce((sum, part) => sum + part.until - part.from, 0)
      expect(length).toBe(Math.max(until - from, 0))
      expect(parts.every((part, index) => index === 0 || part.from === parts[index - 1]?.until)).toBe(true)
      expect([fullDays.from % DAY_SECONDS, fullDays.until % DAY_SECONDS]).toEqual(
        fullDays.from < fullDays.until ? [0, 0] : [fullDays.from % DAY_SECONDS, fullDays.until % DAY_SECONDS],
      )
    }),
  )
})

test('returns the same sums and facets before and after days are rolled up', async () => {
  for (let index = 0; index < 120; index += 1)
    await add(DAY + index * HOUR, {
      model_name: `m${index % 3}`,
      user_id: index % 2,
      type: index % 7 ? 2 : 5,
    })
  const ranges = [
    { from: DAY, until: DAY + 5 * DAY_SECONDS },
    { from: DAY + 5 * HOUR, until: DAY + 90 * HOUR },
    { from: DAY + 30 * HOUR, until: 1e12 },
    { from: DAY + 3 * HOUR, until: DAY + 9 * HOUR },
  ]
  const filters = [
    ALL_LOGS,
    { ...ALL_LOGS, models: ['m1'] },
    { ...ALL_LOGS, userIds: [1] },
    { ...ALL_LOGS, without: { ...ALL_LOGS.exclude, userIds: [1] } },
  ]
  const read = () =>
    Promise.all(
      ranges.flatMap(range =>
        filters.flatMap(filter => [
          sumUsage(opened.db, filter, range),
          countByValues(opened.db, {
            facets: [
              { column: 'model_name', filter },
              { column: 'type', filter },
              { column: 'user_id', filter },
              { column: 'token_id', filter: ALL_LOGS },
            ],
            range: { ...range, hours: range, edges: [] },
            limit: 9,
          }),
        ]),
      ),
    )
  const before = await read()
  expect(await rollUpDays(deps(), DAY + 2.5 * DAY_SECONDS)).toBe(2)
  expect(await read()).toEqual(before)
  await rollUpGatewayDays(deps())
  expect(await read()).toEqual(before)
  expect(await rollUpDays(deps(), DAY + 3.5 * DAY_SECONDS)).toBe(1)
  await rollUpHours(deps(), DAY + 4 * DAY_SECONDS)
  expect(await read()).toEqual(before)
})

const addOnDay = (day: number, userId: number) =>
  add(DAY + day * DAY_SECONDS, { user_id: userId, token_id: userId })

const gatewayDays = () =>
  opened.db.selectFrom('gateway_days').select(['day', 'count', 'quota']).orderBy('day').execute()

test('rolls days up over all users once, and only after they are rolled up by user', async () => {
  for (const user of [1, 2, 3]) await addOnDay(0, user)
  await addOnDay(40, 1)
  await addOnDay(41, 1)
  await rollUpGatewayDays(deps())
  expect(await gatewayDays()).toEqual([])
  await rollUpDays(deps(), DAY + 41.5 * DAY_SECONDS)
  await Promise.all([rollUpGatewayDays(deps()), rollUpGatewayDays(deps())])
  await rollUpGatewayDays(deps())
  expect(await gatewayDays()).toEqual([
    { day: DAY, count: 3, quota: 30 },
    { day: DAY + 40 * DAY_SECONDS, count: 1, quota: 10 },
  ])
  await rollUpDays(deps(), DAY + 50 * DAY_SECONDS)
  await rollUpGatewayDays(deps())
  expect(await gatewayDays()).toHaveLength(3)
  expect(await findRolledUpUntil(opened.db, 'gateway_days')).toBe(DAY + 42 * DAY_SECONDS)
})
