import { expect, test } from 'bun:test'
import { instantOf, listOffsets } from './time-zone.ts'
import { endOfHour, startOfHour } from './usage.ts'

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

test('cuts hours where a day of any zone begins, in summer and winter of the next years', () => {
  const months = Array.from({ length: 12 }, (_, half) => Date.UTC(2024, half * 6) / 1000)
  for (const zone of Intl.supportedValuesOf('timeZone'))
    for (const month of months) {
      const offsets = listOffsets(zone, { from: month, until: month })
      const day = instantOf(month, offsets)
      expect([zone, startOfHour(day), endOfHour(day - 1)]).toEqual([zone, day, day])
    }
})

test('follows each hour, or part of one, by the next', () => {
  const parts: number[] = []
  for (let start = 0; start < 24 * HOUR; start = endOfHour(start)) {
    parts.push(start / 60)
    expect([startOfHour(start), startOfHour(endOfHour(start) - 1)]).toEqual([start, start])
  }
  expect(parts).toHaveLength(24 + 13)
  expect(parts.slice(20, 28)).toEqual([840, 870, 900, 915, 960, 1020, 1050, 1080])
})
