import { expect, test } from 'bun:test'
import { niceCeiling, seriesColours, spanOf, totalOf } from './series.ts'

test('an axis ends at the next round figure', () => {
  expect([0, 1, 3, 7, 12, 20, 21, 480, 501].map(niceCeiling)).toEqual([1, 1, 3, 8, 20, 20, 30, 500, 600])
})

test('a slot is as high as its shown series together', () => {
  const slot = { key: 1, label: '', values: { ok: 3, bad: 2 } }
  const ok = { id: 'ok', name: '', ...seriesColours(0) }
  expect(totalOf(slot, [ok])).toBe(3)
  expect(totalOf(slot, [ok, { ...ok, id: 'bad' }, { ...ok, id: 'absent' }])).toBe(5)
})

test('a span drawn to the left is the same as one drawn to the right', () => {
  expect(spanOf(5, 2)).toEqual(spanOf(2, 5))
})

test('series beyond the eighth share one colour', () => {
  expect(seriesColours(8)).toEqual(seriesColours(20))
  expect(seriesColours(0)).not.toEqual(seriesColours(1))
})
