import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { setClock } from './clock.ts'
import { openLocalRateWindows } from './local-rate-windows.ts'
import { openLog } from './log.ts'
import type { RateLimit, RateWindows } from './rate-windows.ts'
import { openSteadyRateWindows } from './steady-rate-windows.ts'

const LIMIT: RateLimit = { name: 'calls', limit: 3, windowMs: 60_000 }

let now: number
let restore: () => void
beforeEach(() => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
})
afterEach(() => restore())

describe('in memory', () => {
  test('a subject gets as many places as there are, each subject and each limit its own', async () => {
    const windows = openLocalRateWindows()
    const left = []
    for (let i = 0; i < 4; i += 1) left.push(await windows.take(LIMIT, 'anna'))
    expect(left.map(place => [place.isFree, place.left])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ])
    expect((await windows.take(LIMIT, 'bert')).isFree).toBe(true)
    expect((await windows.take({ ...LIMIT, name: 'mails' }, 'anna')).isFree).toBe(true)
  })

  test('a place is free again when its event has left the window, as the wait says', async () => {
    const windows = openLocalRateWindows()
    await windows.take(LIMIT, 'anna')
    now += 20_000
    await windows.take(LIMIT, 'anna')
    await windows.take(LIMIT, 'anna')
    const { waitMs } = await windows.take(LIMIT, 'anna')
    expect(waitMs).toBeWithin(40_000, 41_001)
    now += waitMs - 1
    expect((await windows.take(LIMIT, 'anna')).isFree).toBe(false)
    now += 1
    expect((await windows.take(LIMIT, 'anna')).isFree).toBe(true)
    expect((await windows.take(LIMIT, 'anna')).isFree).toBe(false)
  })

  test('a place that is given back can be taken again', async () => {
    const windows = openLocalRateWindows()
    const places = await Promise.all([1, 2, 3].map(() => windows.take(LIMIT, 'anna')))
    await windows.giveBack(LIMIT, 'anna', places[0] ?? { isFree: true, left: 0, waitMs: 0, slice: 0 })
    expect((await windows.take(LIMIT, 'anna')).isFree).toBe(true)
    expect((await windows.take(LIMIT, 'anna')).isFree).toBe(false)
  })

  test('no stretch as long as the window ever holds more events than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 15_000 }), { maxLength: 80 }), async pauses => {
        const windows = openLocalRateWindows()
        const taken: number[] = []
        for (const pause of pauses) {
          now += pause
          if ((await windows.take(LIMIT, 'anna')).isFree) taken.push(now)
        }
        for (const start of taken)
          expect(
            taken.filter(time => time >= start && time < start + LIMIT.windowMs).length,
          ).toBeLessThanOrEqual(3)
      }),
    )
  })

  test('looking takes nothing', async () => {
    const windows = openLocalRateWindows()
    for (let i = 0; i < 5; i += 1) expect((await windows.look(LIMIT, 'anna')).left).toBe(2)
    await windows.take(LIMIT, 'anna')
    expect((await windows.look(LIMIT, 'anna')).left).toBe(1)
  })

  test('the subject unused for longest makes room for new ones', async () => {
    const windows = openLocalRateWindows(2)
    for (const subject of ['anna', 'anna', 'bert', 'anna', 'carl']) await windows.take(LIMIT, subject)
    expect((await windows.take(LIMIT, 'anna')).isFree).toBe(false)
    expect((await windows.take(LIMIT, 'bert')).left).toBe(2)
  })
})

test('while the shared count does not answer, each process counts for itself and says so once a minute', async () => {
  let lines = 0
  const log = openLog({ level: 'error', isPretty: false, write: () => (lines += 1) })
  const broken: RateWindows = {
    take: () => Promise.reject(new Error('connection refused')),
    look: () => Promise.reject(new Error('connection refused')),
    giveBack: () => Promise.reject(new Error('connection refused')),
    close: () => Promise.reject(new Error('connection refused')),
  }
  const windows = openSteadyRateWindows(broken, openLocalRateWindows(), log)
  const places = []
  for (let i = 0; i < 4; i += 1) places.push((await windows.take(LIMIT, 'anna')).isFree)
  expect(places).toEqual([true, true, true, false])
  expect((await windows.look(LIMIT, 'anna')).isFree).toBe(false)
  expect(lines).toBe(1)
  now += 61_000
  await windows.take(LIMIT, 'anna')
  expect(lines).toBe(2)
  await windows.close()
})
