import { expect, test } from 'bun:test'
import {
  failingModels,
  keepFinished,
  type ModelTest,
  summarizeTests,
} from '#features/channels/console/test/test-run.ts'

const results = new Map<string, ModelTest>([
  ['a', { state: 'passed', seconds: 1 }],
  ['b', { state: 'failed', reason: 'no' }],
  ['c', { state: 'running' }],
  ['d', { state: 'waiting' }],
])

test('counts passed, failed and unfinished tests', () => {
  expect(summarizeTests(results)).toEqual({ passed: 1, failed: 1, unfinished: 2 })
})

test('keeps only finished tests after a stop', () => {
  expect([...keepFinished(results).keys()]).toEqual(['a', 'b'])
  expect(failingModels(results)).toEqual(['b'])
})
