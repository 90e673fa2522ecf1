import { expect, test } from 'bun:test'
import { median, p50AndP99, percentile } from './percentiles.ts'

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)

test('computes percentiles of unsorted figures', () => {
  expect(p50AndP99(hundred)).toEqual({ p50: 51, p99: 100 })
  expect(percentile(hundred, 0)).toBe(1)
})

test('a single outlier does not change the median', () => {
  expect(median([30, 900, 31])).toBe(31)
})

test('the median of no figures is 0', () => {
  expect(median([])).toBe(0)
})
