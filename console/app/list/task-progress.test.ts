import { expect, test } from 'bun:test'
import { endOf, progressShare } from './task-progress.ts'

test('a progress is read from its percentage', () => {
  expect(['46%', '100%', '', 'waiting', '250%'].map(progressShare)).toEqual([0.46, 1, 0, 0, 1])
})

test('work is over when the vendor says how it ended, not when it says 100%', () => {
  expect(['SUCCESS', 'FAILURE', 'IN_PROGRESS', ''].map(endOf)).toEqual([
    'succeeded',
    'failed',
    undefined,
    undefined,
  ])
})
