import { describe, expect, test } from 'bun:test'
import { formatShortSpan, RANGES, spanFromSearch, spanOfPreset } from './ranges.ts'

const at = (...parts: [number, number, number, number?, number?]) =>
  Math.floor(new Date(...parts).getTime() / 1000)
const NOW = at(2026, 10, 21, 10, 30)

describe('presets', () => {
  test('starts days and months at local midnight', () => {
    expect(spanOfPreset('today', NOW)).toEqual({ start: at(2026, 10, 21), end: 0 })
    expect(spanOfPreset('month', NOW)).toEqual({ start: at(2026, 10, 1), end: 0 })
    expect(spanOfPreset('yesterday', NOW)).toEqual({ start: at(2026, 10, 20), end: at(2026, 10, 21) - 1 })
  })

  test('puts the yesterday of a first day into the previous month', () => {
    expect(spanOfPreset('yesterday', at(2026, 2, 1, 9)).start).toBe(at(2026, 1, 28))
  })

  test('ends last month where this one begins, also in January', () => {
    expect(spanOfPreset('lastMonth', NOW)).toEqual({ start: at(2026, 9, 1), end: at(2026, 10, 1) - 1 })
    expect(spanOfPreset('lastMonth', at(2026, 0, 9)).start).toBe(at(2025, 11, 1))
  })

  test('leaves every preset of the present open-ended, to include new rows', () => {
    const closed = RANGES.filter(range => spanOfPreset(range, NOW).end !== 0)
    expect(closed).toEqual(['yesterday', 'lastMonth'])
  })
})

test('prefers exact times over the preset', () => {
  expect(spanFromSearch({ range: '7d', from: '100', to: '200' }, NOW)).toEqual({ start: 100, end: 200 })
  expect(spanFromSearch({ range: '7d', from: '', to: '' }, NOW).start).toBe(NOW - 7 * 86_400)
})

test('shortens an exact range without losing clarity', () => {
  expect(formatShortSpan(at(2026, 10, 21, 10), at(2026, 10, 21, 12, 30), NOW)).toBe('11-21 10:00 - 12:30')
  expect(formatShortSpan(at(2026, 10, 20, 10), at(2026, 10, 21, 12), NOW)).toBe('11-20 10:00 - 11-21 12:00')
  expect(formatShortSpan(at(2025, 11, 31, 0), at(2026, 0, 1, 1), NOW)).toBe('2025-12-31 00:00 - 01-01 01:00')
})
