import { expect, test } from 'bun:test'
import { findJsonError, formatJson } from './json-editor.tsx'

test('accepts valid JSON and empty text', () => {
  expect(findJsonError('{"a": 1}')).toBeUndefined()
  expect(findJsonError('  ')).toBeUndefined()
})

test('reports the line and the reason of invalid JSON', () => {
  const problem = findJsonError('{\n  "a": 1,\n  b\n}')
  expect(problem?.reason).not.toBe('')
  expect(problem?.line).toBeGreaterThanOrEqual(1)
})

test('formats JSON and leaves other text unchanged', () => {
  expect(formatJson('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(formatJson('{oops')).toBe('{oops')
})
