import { describe, expect, test } from 'bun:test'
import { RANGES, shortSpan, spanOf, spanOfRange } from './ranges.ts'

const at = (...parts: [number, number, number, number?, number?]) =>
  Math.floor(new Date(...parts).getTime() / 1000)
const NOW = at(2026, 10, 21, 10, 30)

describe('presets', () => {
  test('days and months begin at local midnight', () => {
    expect(spanOfRange('today', NOW)).toEqual({ start: at(2026, 10, 21), end: 0 })
    expect(spanOfRange('month', NOW)).toEqual({ start: at(2026, 10, 1), end: 0 })
    expect(spanOfRange('yesterday', NOW)).toEqual({ start: at(2026, 10, 20), end: at(2026, 10, 21) - 1 })
  })

  test('yesterday of the first of a month lies in the month before', () => {
    expect(spanOfRange('yesterday', at(2026, 2, 1, 9)).start).toBe(at(2026, 1, 28))
  })

  test('every preset but yesterday is open at its end, so that new rows belong to it', () => {
    const open = RANGES.filter(range => spanOfRange(range, NOW).end === 0)
    expect(open).toEqual(RANGES.filter(range => range !== 'yesterday'))
  })
})

test('exact moments win over the preset', () => {
  expect(spanOf({ range: '7d', from: '100', to: '200' }, NOW)).toEqual({ start: 100, end: 200 })
  expect(spanOf({ range: '7d', from: '', to: '' }, NOW).start).toBe(NOW - 7 * 86_400)
})

test('an exact span is said as shortly as it stays clear', () => {
  expect(shortSpan(at(2026, 10, 21, 10), at(2026, 10, 21, 12, 30), NOW)).toBe('11-21 10:00 - 12:30')
  expect(shortSpan(at(2026, 10, 20, 10), at(2026, 10, 21, 12), NOW)).toBe('11-20 10:00 - 11-21 12:00')
  expect(shortSpan(at(2025, 11, 31, 0), at(2026, 0, 1, 1), NOW)).toBe('2025-12-31 00:00 - 01-01 01:00')
})
