import { expect, test } from 'bun:test'
import { shareText } from './share.ts'

test('tells a share with one decimal at most, and nothing of nothing', () => {
  expect([shareText(1, 8), shareText(1, 2), shareText(2, 3), shareText(0, 5), shareText(5, 5)]).toEqual([
    '12.5%',
    '50%',
    '66.7%',
    '0%',
    '100%',
  ])
  expect(shareText(0, 0)).toBe('-')
})

test('does not round a few to none or most to all', () => {
  expect(shareText(1, 100_000)).toBe('0.1%')
  expect(shareText(99_999, 100_000)).toBe('99.9%')
})
