import { expect, test } from 'bun:test'
import { progressShare } from './progress-share.ts'

test('a progress is read from its percentage', () => {
  expect(['46%', '100%', '', 'waiting', '250%'].map(progressShare)).toEqual([0.46, 1, 0, 0, 1])
})
