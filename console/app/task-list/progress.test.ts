import { expect, test } from 'bun:test'
import { outcomeOf, progressShare } from './progress.tsx'

test('reads the share from a percentage', () => {
  expect(['46%', '100%', '', 'waiting', '250%'].map(progressShare)).toEqual([0.46, 1, 0, 0, 1])
})

test('reads the outcome from the status, not from 100%', () => {
  expect(['SUCCESS', 'FAILURE', 'IN_PROGRESS', ''].map(outcomeOf)).toEqual([
    'succeeded',
    'failed',
    undefined,
    undefined,
  ])
})
