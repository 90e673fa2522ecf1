import { expect, test } from 'bun:test'
import { readShares, writeShares } from './budgets.ts'

const SHARE = { budgetId: 1, window: 3_600, amount: 10 } as const

test.each([
  ['quota', 100, 100],
  ['quota', 250, 250],
  ['tokens', 100, 10],
  ['tokens', 250, 25],
  ['tokens', 251, 26],
  ['tokens', 50, 10],
  ['requests', 250, 10],
] as const)('a share of %s in a hold of 100 units that grew to %d takes %d', (unit, amount, expected) => {
  const budgets = writeShares([{ ...SHARE, unit, bound: undefined, bend: undefined }], 100)
  expect(readShares({ budgets, amount })).toEqual([{ ...SHARE, unit, amount: expected }])
})

test('a hold without budgets takes nothing of any', () => {
  expect(readShares({ budgets: null, amount: 100 })).toEqual([])
})
