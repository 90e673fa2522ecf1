import { expect, test } from 'bun:test'
import { instantOf, isTimeZone, listOffsets } from './time-zone.ts'

const HOUR = 3600
const at = (text: string) => Date.parse(text) / 1000

test('finds the second at which clocks change', () => {
  const period = { from: at('2026-10-30T04:00:00Z'), until: at('2026-11-04T05:00:00Z') }
  expect(listOffsets('America/New_York', period)).toEqual([
    { from: Number.NEGATIVE_INFINITY, seconds: -4 * HOUR },
    { from: at('2026-11-01T06:00:00Z'), seconds: -5 * HOUR },
  ])
  expect(listOffsets('Asia/Kathmandu', period)).toEqual([
    { from: Number.NEGATIVE_INFINITY, seconds: 5.75 * HOUR },
  ])
})

test.each([
  ['America/New_York', '2026-01-01T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-01-01T00:00:00Z'],
  ['America/Santiago', '2026-01-01T00:00:00Z'],
  ['Europe/Berlin', '2026-01-01T00:00:00Z'],
  ['Asia/Kolkata', '2026-01-01T00:00:00Z'],
])('days of %s follow each other without a gap for a year', (zone, start) => {
  const period = { from: at(start), until: at(start) + 366 * 24 * HOUR }
  const offsets = listOffsets(zone, period)
  const days = Array.from({ length: 366 }, (_, day) => instantOf(at(start) + day * 24 * HOUR, offsets))
  const lengths = days.slice(1).map((day, index) => (day - (days[index] ?? 0)) / HOUR)
  for (const length of lengths) expect([23, 23.5, 24, 24.5, 25]).toContain(length)
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(365 * 24)
})

test('knows zones by their names', () => {
  expect(['Asia/Kolkata', 'UTC', 'Mars/Base', '', '+05:30x'].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
