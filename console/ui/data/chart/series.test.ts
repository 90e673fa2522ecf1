import { expect, test } from 'bun:test'
import { MAIN_COLOUR } from '../series-colours.ts'
import { axisOf, labelledSlots, slotRange, slotTotal } from './series.ts'

test.each([
  [[], 4, [0, 1]],
  [[1], 4, [0, 1]],
  [[140], 4, [0, 50, 100]],
  [[140], 8, [0, 20, 40, 60, 80, 100, 120, 140]],
  [[300_000], 4, [0, 100_000, 200_000, 300_000]],
  [[-30, 60], 5, [-20, 0, 20, 40, 60]],
])('gives %j an axis of at most %d round numbers', (values, count, ticks) => {
  expect(axisOf(values, count).ticks).toEqual(ticks)
})

test('leaves no more than a twentieth of the height above the largest value', () => {
  for (const most of [1, 7, 96, 101, 54_360]) expect(axisOf([most], 5).high / most).toBeLessThanOrEqual(1.05)
})

test('labels as many slots as there is room for', () => {
  expect(labelledSlots(24, 1000, 80)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22])
  expect(labelledSlots(3, 1000, 80)).toEqual([0, 1, 2])
  expect(labelledSlots(30, 0, 80)).toEqual([0])
})

test('sums the visible series of a slot', () => {
  const slot = { key: 1, label: '', values: { ok: 3, bad: 2 } }
  const ok = { id: 'ok', name: '', ...MAIN_COLOUR }
  expect(slotTotal(slot, [ok])).toBe(3)
  expect(slotTotal(slot, [ok, { ...ok, id: 'bad' }, { ...ok, id: 'absent' }])).toBe(5)
})

test('gives the same range for both drag directions', () => {
  expect(slotRange(5, 2)).toEqual(slotRange(2, 5))
})
