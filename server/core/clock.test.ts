import { expect, test } from 'bun:test'
import { everyMs, repeatAfterMs, sleepMs } from './clock.ts'

test('repeats work after the pause that each run chooses, and stops with the run in progress', async () => {
  const pauses = [5, 5, 60_000]
  let runs = 0
  const stop = repeatAfterMs(5, async () => pauses[runs++] ?? 0)
  while (runs < 3) await sleepMs(5)
  await sleepMs(30)
  expect(runs).toBe(3)
  await stop()

  let isOver = false
  const stopLong = repeatAfterMs(1, async () => {
    await sleepMs(40)
    isOver = true
    return 1
  })
  await sleepMs(20)
  await stopLong()
  expect(isOver).toBe(true)
})

test('skips the runs that come due while one is in progress, and stops', async () => {
  let runs = 0
  let running = 0
  const stop = everyMs(5, async () => {
    runs += 1
    running += 1
    expect(running).toBe(1)
    await sleepMs(25)
    running -= 1
  })
  while (runs < 3) await sleepMs(5)
  await stop()
  expect(running).toBe(0)
  await sleepMs(30)
  expect(runs).toBe(3)
})
