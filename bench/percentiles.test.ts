import { expect, test } from 'bun:test'
import { median, p50AndP99, percentile } from './percentiles.ts'

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)

test('computes percentiles of unsorted figures', () => {
  expect(p50AndP99(hundred)).toEqual({ p50: 51, p99: 100 })
  expect(percentile(hundred, 0)).toBe(1)
})

test('ignores a single outlier in the median', () => {
  expect(median([30, 900, 31])).toBe(31)
})

test('returns 0 without figures', () => {
  expect(median([])).toBe(0)
})
