import { expect, test } from 'bun:test'
import { failingModels, type ModelTest, summaryOf, withoutOpen } from './test-run.ts'

const results = new Map<string, ModelTest>([
  ['a', { state: 'passed', seconds: 1 }],
  ['b', { state: 'failed', reason: 'no' }],
  ['c', { state: 'running' }],
  ['d', { state: 'waiting' }],
])

test('counts what passed, what failed and what is still open', () => {
  expect(summaryOf(results)).toEqual({ passed: 1, failed: 1, open: 2 })
})

test('after a stop only what has ended is left', () => {
  expect([...withoutOpen(results).keys()]).toEqual(['a', 'b'])
  expect(failingModels(results)).toEqual(['b'])
})
