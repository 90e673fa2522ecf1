import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { OpenDatabase } from '../engine/database.ts'
import { openTestDatabase } from '../testing.ts'
import { DAY_SECONDS, findRolledUpUntil, rollUpDays, rollUpGatewayDays } from './usage-days.ts'
import { addToUsageHours } from './usage-hours.ts'

const DAY = 20_000 * DAY_SECONDS

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const add = (day: number, user_id: number) =>
  addToUsageHours(opened.db, [
    {
      hour: DAY + day * DAY_SECONDS,
      user_id,
      token_id: user_id,
      channel_id: 1,
      model_name: 'a',
      group: 'default',
      type: 2,
      count: 1,
      quota: 10,
      prompt_tokens: 3,
      completion_tokens: 2,
    },
  ])

const sums = () =>
  opened.db.selectFrom('gateway_days').select(['day', 'count', 'quota']).orderBy('day').execute()

test('rolls days up over all users once, and only after they are rolled up by user', async () => {
  for (const user of [1, 2, 3]) await add(0, user)
  await add(40, 1)
  await add(41, 1)
  await rollUpGatewayDays(opened.db)
  expect(await sums()).toEqual([])
  await rollUpDays(opened.db, DAY + 41.5 * DAY_SECONDS)
  await Promise.all([rollUpGatewayDays(opened.db), rollUpGatewayDays(opened.db)])
  await rollUpGatewayDays(opened.db)
  expect(await sums()).toEqual([
    { day: DAY, count: 3, quota: 30 },
    { day: DAY + 40 * DAY_SECONDS, count: 1, quota: 10 },
  ])
  await rollUpDays(opened.db, DAY + 50 * DAY_SECONDS)
  await rollUpGatewayDays(opened.db)
  expect(await sums()).toHaveLength(3)
  expect(await findRolledUpUntil(opened.db, 'gateway_days')).toBe(DAY + 42 * DAY_SECONDS)
})
