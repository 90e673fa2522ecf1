import { expect, test } from 'bun:test'
import { repeatAfterMs, sleepMs } from './clock.ts'

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
