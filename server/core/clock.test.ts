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

test('runs jobs of whole seconds at the same moment, each in its own rhythm', async () => {
  const ranAtMs = { everySecond: [] as number[], everyTwo: [] as number[] }
  const stopFirst = everyMs(1000, async () => void ranAtMs.everySecond.push(performance.now()))
  await sleepMs(300)
  const stopSecond = everyMs(2000, async () => void ranAtMs.everyTwo.push(performance.now()))
  const stopPause = repeatAfterMs(1000, async () => {
    expect(performance.now() - (ranAtMs.everySecond.at(-1) ?? 0)).toBeLessThan(50)
    return 1000
  })
  await sleepMs(3300)
  await Promise.all([stopFirst(), stopSecond(), stopPause()])
  expect(ranAtMs.everySecond).toHaveLength(3)
  expect(ranAtMs.everyTwo).toHaveLength(1)
  expect((ranAtMs.everyTwo[0] ?? 0) - (ranAtMs.everySecond[1] ?? 0)).toBeLessThan(50)
  await sleepMs(1200)
  expect(ranAtMs.everySecond).toHaveLength(3)
})
