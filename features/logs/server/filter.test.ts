import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_SECONDS } from '#server/db/usage/usage-hours.ts'
import { toLogRange, touchedHours } from './filter.ts'

const NOW = 1_000 * HOUR_SECONDS + 1234
const OLDEST = 10 * HOUR_SECONDS + 7
const at = (start: number, end: number) => toLogRange(start, end, { oldest: OLDEST, now: NOW })

test('covers every second of the range exactly once with whole hours and edges', () => {
  const seconds = fc.integer({ min: 0, max: NOW + 2 * HOUR_SECONDS })
  fc.assert(
    fc.property(seconds, seconds, seconds, (start, end, probe) => {
      const { hours, edges, from, until } = at(start, end)
      const matches = [hours, ...edges].filter(span => probe >= span.from && probe < span.until).length
      expect(matches).toBe(probe >= from && probe < until ? 1 : 0)
      expect(hours.from >= hours.until || hours.from % HOUR_SECONDS === 0).toBe(true)
      for (const edge of edges) expect(edge.until - edge.from).toBeLessThanOrEqual(HOUR_SECONDS)
    }),
  )
})

test('has no edge at an open or future end', () => {
  expect(at(0, 0).edges).toEqual([{ from: OLDEST, until: 11 * HOUR_SECONDS }])
  expect(at(0, NOW + 3600)).toEqual(at(0, 0))
})

test('includes both ends', () => {
  expect(at(50_000, 50_000).edges).toEqual([{ from: 50_000, until: 50_001 }])
})

test('is empty when the end precedes the start', () => {
  const { hours, edges } = at(60_000, 50_000)
  expect(hours.from >= hours.until && edges.length === 0).toBe(true)
})

test('touches no hour when it ends before the first row', () => {
  const { from, until } = touchedHours(at(HOUR_SECONDS, 2 * HOUR_SECONDS))
  expect(from).toBeGreaterThanOrEqual(until)
})

test('extends a single second to its hour', () => {
  expect(touchedHours(at(44_000, 44_000))).toEqual({ from: 12 * HOUR_SECONDS, until: 13 * HOUR_SECONDS })
})
