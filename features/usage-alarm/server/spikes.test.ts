import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { sameInBoth } from '#server/core/language.ts'
import { noopLogger } from '#server/core/logger.ts'
import { insertMinutes, NO_SUMS } from '#server/db/usage/totals.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { listUsageSpikes } from '../contract.ts'
import { createSpikeWatch } from './spikes.ts'

const MINUTE = 60
const HOUR = 3600
const DOLLAR = 500_000
const START = 1_790_000_000 - (1_790_000_000 % HOUR) + 20 * MINUTE

const WITHOUT_NAMES = {
  plan: '',
  region: '',
  error: '',
  duration: '',
  first_token: '',
  dialect: '',
  group: '',
  model_name: '',
  channel_id: 1,
  token_id: 1,
}

let app: TestApp
let now = START
let restoreClock: () => unknown
let notices: UserNotification[] = []
let threshold = 10 * DOLLAR
beforeEach(async () => {
  now = START
  notices = []
  threshold = 10 * DOLLAR
  restoreClock = setClock({ nowMs: () => now * 1000, elapsedMs: () => 0 })
  app = await openTestApp()
})
afterEach(async () => {
  await app.close()
  restoreClock()
})

const openWatch = () =>
  createSpikeWatch({
    db: app.db,
    log: noopLogger,
    threshold: () => threshold,
    formatAmount: units => sameInBoth(`$${units / DOLLAR}`),
    notify: notice => notices.push(notice),
  })

const spend = (userId: number, minute: number, dollars: number) =>
  insertMinutes(app.db, [
    {
      ...NO_SUMS,
      ...WITHOUT_NAMES,
      minute,
      user_id: userId,
      requests: 1,
      quota: dollars * DOLLAR,
    },
  ])

/** A user who spends as much every hour of the day, and more in the last one. */
async function addSpender(username: string, hourly: number, more: number): Promise<number> {
  const { id } = await app.addUser({ username })
  if (hourly > 0)
    for (let hour = 1; hour <= 26; hour += 1) await spend(id, START - 30 * MINUTE - hour * HOUR, hourly)
  await spend(id, START - 10 * MINUTE, more)
  return id
}

test('finds who spends five times a usual hour, and enough to be worth it', async () => {
  const anna = await addSpender('anna', 2, 30)
  await addSpender('bob', 20, 60)
  await addSpender('cheap', 0, 9)
  const dora = await addSpender('dora', 0, 11)
  const { data } = await app.root.call(listUsageSpikes)
  expect(data.map(({ user_id, username, amount, usual }) => [user_id, username, amount, usual])).toEqual([
    [anna, 'anna', 30 * DOLLAR, 2 * DOLLAR],
    [dora, 'dora', 11 * DOLLAR, 0],
  ])
  expect(data[0]?.since).toBe(START + MINUTE - HOUR)
})

test('finds nothing when it is off, and what an hour ago was one is over', async () => {
  await addSpender('anna', 2, 30)
  threshold = 0
  expect(await openWatch().current()).toEqual([])
  threshold = DOLLAR
  expect(await openWatch().current()).toHaveLength(1)
  now += HOUR
  expect(await openWatch().current()).toEqual([])
})

test('looks once a minute, however often it is asked', async () => {
  const watch = openWatch()
  expect(await watch.current()).toEqual([])
  await addSpender('anna', 0, 30)
  expect(await watch.current()).toEqual([])
  now += MINUTE
  expect(await watch.current()).toHaveLength(1)
})

test('notifies of a user once a day, in money and with what was done', async () => {
  const watch = openWatch()
  const anna = await addSpender('anna', 2, 30)
  await watch.check()
  now += 2 * MINUTE
  await watch.check()
  expect(notices).toMatchObject([
    { type: `usage_spike_${anna}`, values: ['anna', String(anna), '$30', '$2'] },
  ])
  expect(notices[0]?.text.en).toContain('Nothing was limited')
  now += 25 * HOUR
  await spend(anna, now - MINUTE, 50)
  await watch.check()
  expect(notices).toHaveLength(2)
})

test('is for administrators', async () => {
  const anna = await app.addUser({ username: 'anna' })
  expect((await anna.call(listUsageSpikes)).success).toBe(false)
})
