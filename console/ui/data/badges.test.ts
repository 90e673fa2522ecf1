import { expect, test } from 'bun:test'
import { seriesOf } from './badges.tsx'

test('gives a word the same colour every time', () => {
  expect(seriesOf('vip')).toBe(seriesOf('vip'))
})

test('spreads words over all eight colours', () => {
  const seen = new Set(Array.from({ length: 200 }, (_, index) => seriesOf(`group-${index}`)))
  expect(seen.size).toBe(8)
})
