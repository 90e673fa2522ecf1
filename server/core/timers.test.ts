import { expect, test } from 'bun:test'
import { sleepMs } from './clock.ts'
import { startTimer } from './timers.ts'

test('timers expire once each, in the order in which they were started', async () => {
  const expired: string[] = []
  startTimer(20, () => expired.push('first'))
  await sleepMs(10)
  startTimer(20, () => expired.push('second'))
  await sleepMs(15)
  expect(expired).toEqual(['first'])
  await sleepMs(40)
  expect(expired).toEqual(['first', 'second'])
})

test('a cancelled timer never expires and does not affect other timers', async () => {
  const expired: number[] = []
  const timers = [0, 1, 2, 3].map(number => startTimer(15, () => expired.push(number)))
  timers[0]?.cancel()
  timers[2]?.cancel()
  timers[2]?.cancel()
  await sleepMs(40)
  expect(expired).toEqual([1, 3])
})

test('a timer that starts after all others are gone expires', async () => {
  const expired: string[] = []
  startTimer(18, () => expired.push('cancelled')).cancel()
  await sleepMs(40)
  startTimer(18, () => expired.push('late'))
  await sleepMs(40)
  expect(expired).toEqual(['late'])
})

test('a timer can start and cancel other timers while it expires', async () => {
  const expired: string[] = []
  startTimer(12, () => {
    other.cancel()
    startTimer(12, () => expired.push('next'))
  })
  const other = startTimer(12, () => expired.push('other'))
  while (expired.length === 0) await sleepMs(5)
  expect(expired).toEqual(['next'])
})
