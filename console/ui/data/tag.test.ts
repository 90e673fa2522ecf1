import { expect, test } from 'bun:test'
import { seriesOf } from './tag.tsx'

test('a word keeps its colour', () => {
  expect(seriesOf('vip')).toBe(seriesOf('vip'))
})

test('words are spread over all eight colours', () => {
  const seen = new Set(Array.from({ length: 200 }, (_, index) => seriesOf(`group-${index}`)))
  expect(seen.size).toBe(8)
})
