import { expect, test } from 'bun:test'
import { seriesIndex } from './badges.tsx'

test('gives a word the same colour every time', () => {
  expect(seriesIndex('vip')).toBe(seriesIndex('vip'))
})

test('spreads words over all eight colours', () => {
  const seen = new Set(Array.from({ length: 200 }, (_, index) => seriesIndex(`group-${index}`)))
  expect(seen.size).toBe(8)
})
