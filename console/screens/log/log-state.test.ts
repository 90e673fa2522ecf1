import { expect, test } from 'bun:test'
import { durationTone, firstTokenTone, typeBadge } from './log-state.ts'

test('times have the bands of the specification', () => {
  expect([100, 101, 299, 300].map(durationTone)).toEqual(['success', 'warning', 'warning', 'danger'])
  expect([2.9, 3, 9.9, 10].map(firstTokenTone)).toEqual(['success', 'warning', 'warning', 'danger'])
})

test('the types have their words, and one that nobody knows is unknown', () => {
  expect([1, 2, 3, 4, 5, 0].map(type => typeBadge(type)[0])).toEqual([
    'topUp',
    'consumption',
    'management',
    'system',
    'failure',
    'unknownType',
  ])
})
