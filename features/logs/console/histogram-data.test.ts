import { describe, expect, test } from 'bun:test'
import { toSeries, toSlots } from './histogram-data.ts'

const HOUR = 3600
const START = Math.floor(new Date(2026, 10, 21, 0).getTime() / 1000)
const point = (hour: number, name: string, count: number) => ({
  start: START + hour * HOUR,
  name,
  count,
  quota: 0,
  tokens: 0,
})
const NAMES = { success: 'ok', error: 'bad', other: 'others' }

describe('toSlots', () => {
  test('includes the hours without requests of the whole range', () => {
    const slots = toSlots(
      { bucket_seconds: HOUR, points: [point(0, 'success', 3)] },
      { start: START - 99 * HOUR, end: START + 40 * HOUR + 10 },
    )
    expect(slots).toHaveLength(99 + 41)
    expect(slots[99]?.values).toEqual({ success: 3 })
  })

  test('starts with the first request where the range has no start', () => {
    const points = [point(0, 'success', 3), point(30, 'success', 4), point(30, 'error', 1)]
    const slots = toSlots({ bucket_seconds: HOUR, points }, { start: 0, end: START + 40 * HOUR + 10 })
    expect(slots).toHaveLength(41)
    expect(slots[0]?.values).toEqual({ success: 3 })
    expect(slots[1]?.values).toEqual({})
    expect(slots[30]?.values).toEqual({ success: 4, error: 1 })
    expect(slots[30]?.label).toBe('2026-11-22 06:00')
  })

  test('puts a single hour at the end of a day of empty slots', () => {
    const slots = toSlots(
      { bucket_seconds: HOUR, points: [point(5, 'success', 3)] },
      { start: 0, end: START + 5 * HOUR },
    )
    expect(slots).toHaveLength(24)
    expect(slots.at(-1)?.values).toEqual({ success: 3 })
  })

  test('starts no earlier than the range', () => {
    const points = [point(5, 'success', 3)]
    const slots = toSlots(
      { bucket_seconds: HOUR, points },
      { start: START + 4 * HOUR, end: START + 6 * HOUR - 1 },
    )
    expect(slots.map(slot => slot.key)).toEqual([START + 4 * HOUR, START + 5 * HOUR])
  })

  test('follows the calendar on days on which clocks change', () => {
    const DAY = 24 * HOUR
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    process.env.TZ = 'America/New_York'
    try {
      const days = [30, 31, 32, 33, 34].map(day => new Date(2026, 9, day).getTime() / 1000)
      const points = days.map(start => ({ start, name: 'success', count: 5, quota: 0, tokens: 0 }))
      const span = { start: days[0] ?? 0, end: (days[4] ?? 0) + DAY - 1 }
      const slots = toSlots({ bucket_seconds: DAY, points }, span)
      expect(slots.map(({ key, values }) => [key, values.success])).toEqual(days.map(day => [day, 5]))
      expect((days[3] ?? 0) - (days[2] ?? 0)).toBe(25 * HOUR)
    } finally {
      process.env.TZ = zone
    }
  })

  test('returns no slots without requests', () => {
    expect(toSlots({ bucket_seconds: HOUR, points: [] }, { start: START, end: START })).toEqual([])
  })
})

test('orders models by their number of requests and puts all others last', () => {
  const points = [point(0, '', 90), point(0, 'b', 5), point(1, 'a', 4), point(2, 'a', 4)]
  const series = toSeries({ bucket_seconds: HOUR, points }, 'model', NAMES)
  expect(series.map(({ name }) => name)).toEqual(['a', 'b', 'others'])
  expect(series.at(-1)?.fill).toBe('fill-subtle')
})
