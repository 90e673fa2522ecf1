import { expect, test } from 'bun:test'
import { setClock } from './clock.ts'
import { openLocalRateWindows } from './local-rate-windows.ts'
import { silentLog } from './log.ts'
import type { RateLimit, RateWindows } from './rate-windows.ts'
import { openSteadyRateWindows } from './steady-rate-windows.ts'

const LIMIT: RateLimit = { name: 'test', limit: 2, windowMs: 60_000 }
const ANSWER_MS_MAX = 2_000
const LEFT_ALONE_MS = 5_000

test('a shared place that falls silent is waited for once, and asked again by one after a while', async () => {
  let laterMs = 0
  const restoreClock = setClock({ nowMs: () => Date.now(), elapsedMs: () => performance.now() + laterMs })
  const well = openLocalRateWindows()
  let isSilent = true
  let asked = 0
  const ask = <Value>(answer: () => Promise<Value>): Promise<Value> => {
    asked += 1
    return isSilent ? new Promise(() => undefined) : answer()
  }
  const shared: RateWindows = {
    ...well,
    take: (limit, subject) => ask(() => well.take(limit, subject)),
    giveBack: (limit, subject, place) => ask(() => well.giveBack(limit, subject, place)),
  }
  const windows = openSteadyRateWindows(shared, openLocalRateWindows(), silentLog)
  const startedMs = performance.now()
  const place = await windows.take(LIMIT, 'anna')
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(ANSWER_MS_MAX - 100)
  await windows.take(LIMIT, 'anna')
  await windows.giveBack(LIMIT, 'anna', place)
  expect((await windows.take(LIMIT, 'anna')).isFree).toBe(true)
  expect((await windows.take(LIMIT, 'anna')).isFree).toBe(false)
  expect(performance.now() - startedMs).toBeLessThan(1.5 * ANSWER_MS_MAX)
  expect(asked).toBe(1)

  laterMs = LEFT_ALONE_MS
  const [first, second] = [windows.take(LIMIT, 'bert'), windows.take(LIMIT, 'bert')]
  await second
  expect(asked).toBe(2)
  await first

  isSilent = false
  laterMs += LEFT_ALONE_MS
  await windows.take(LIMIT, 'anna')
  await windows.take(LIMIT, 'anna')
  expect(asked).toBe(4)
  restoreClock()
})
