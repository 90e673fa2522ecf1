import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { OpenDatabase } from '../engine/database.ts'
import { ALL_LOGS } from '../logs/log-filter.ts'
import { openTestDatabase } from '../testing.ts'
import { DAY_SECONDS, findRolledUpUntil, rollUpDays, rollUpGatewayDays, splitAtDays } from './usage-days.ts'
import { addToUsageHours, rollUpHours } from './usage-hours.ts'
import { countByValues, sumUsage } from './usage-reads.ts'

const DAY = 20_000 * DAY_SECONDS
const HOUR = 3600

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

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
    rollUpDays(opened.db, DAY + 2.5 * DAY_SECONDS),
    rollUpDays(opened.db, DAY + 2.5 * DAY_SECONDS),
  ])
  expect(await rollUpDays(opened.db, DAY + 2.5 * DAY_SECONDS)).toBe(0)
  const rows = await opened.db.selectFrom('usage_days').selectAll().orderBy('day').execute()
  expect(rows).toMatchObject([
    { day: DAY, count: 2, quota: 20 },
    { day: DAY + DAY_SECONDS, count: 1, quota: 10 },
  ])
  expect(await findRolledUpUntil(opened.db, 'usage_days')).toBe(DAY + 2 * DAY_SECONDS)
})

test('rolls a day up an hour after its end', async () => {
  await add(DAY)
  expect(await rollUpDays(opened.db, DAY + DAY_SECONDS + HOUR - 1)).toBe(0)
  expect(await rollUpDays(opened.db, DAY + DAY_SECONDS + HOUR)).toBe(1)
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
            range,
            limit: 9,
          }),
        ]),
      ),
    )
  const before = await read()
  expect(await rollUpDays(opened.db, DAY + 2.5 * DAY_SECONDS)).toBe(2)
  expect(await read()).toEqual(before)
  await rollUpGatewayDays(opened.db)
  expect(await read()).toEqual(before)
  expect(await rollUpDays(opened.db, DAY + 3.5 * DAY_SECONDS)).toBe(1)
  await rollUpHours(opened.db, DAY + 4 * DAY_SECONDS)
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
  await rollUpGatewayDays(opened.db)
  expect(await gatewayDays()).toEqual([])
  await rollUpDays(opened.db, DAY + 41.5 * DAY_SECONDS)
  await Promise.all([rollUpGatewayDays(opened.db), rollUpGatewayDays(opened.db)])
  await rollUpGatewayDays(opened.db)
  expect(await gatewayDays()).toEqual([
    { day: DAY, count: 3, quota: 30 },
    { day: DAY + 40 * DAY_SECONDS, count: 1, quota: 10 },
  ])
  await rollUpDays(opened.db, DAY + 50 * DAY_SECONDS)
  await rollUpGatewayDays(opened.db)
  expect(await gatewayDays()).toHaveLength(3)
  expect(await findRolledUpUntil(opened.db, 'gateway_days')).toBe(DAY + 42 * DAY_SECONDS)
})
