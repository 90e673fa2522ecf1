import { expect, test } from 'bun:test'
import { MAIN_COLOUR } from '../series-colours.ts'
import { niceCeiling, slotRange, slotTotal } from './series.ts'

test('ends an axis at the next round number', () => {
  expect([0, 1, 3, 7, 12, 20, 21, 480, 501].map(niceCeiling)).toEqual([1, 1, 3, 8, 20, 20, 30, 500, 600])
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
