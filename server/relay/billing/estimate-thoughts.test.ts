import { expect, test } from 'bun:test'
import { estimateThoughts } from './usage-to-charge.ts'

const request = { model: 'o3', effort: undefined, startedMs: 0, maxOutputTokens: undefined }

test('estimates the thoughts of a model that does not deliver them by the time until its first output', () => {
  expect(estimateThoughts(request, 21_000)).toBe(1_000)
  expect(estimateThoughts({ ...request, model: 'claude-x', effort: 'high' }, 21_000)).toBe(1_000)
  expect(estimateThoughts(request, 500)).toBe(0)
})

test('estimates no thoughts for a model that does not think', () => {
  expect(estimateThoughts({ ...request, model: 'gpt-4o' }, 21_000)).toBe(0)
  expect(estimateThoughts({ ...request, model: 'gpt-4o', effort: 'none' }, 21_000)).toBe(0)
})

test('estimates no more thoughts than the client allows output', () => {
  expect(estimateThoughts({ ...request, maxOutputTokens: 300 }, 60_000)).toBe(300)
})
