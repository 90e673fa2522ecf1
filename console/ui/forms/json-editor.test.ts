import { expect, test } from 'bun:test'
import { formatJson, jsonProblem } from './json-editor.tsx'

test('finds nothing wrong with JSON and with nothing', () => {
  expect(jsonProblem('{"a": 1}')).toBeUndefined()
  expect(jsonProblem('  ')).toBeUndefined()
})

test('says that broken JSON is broken, and why', () => {
  const problem = jsonProblem('{\n  "a": 1,\n  b\n}')
  expect(problem?.reason).not.toBe('')
  expect(problem?.line).toBeGreaterThanOrEqual(1)
})

test('formats JSON and leaves everything else as it is', () => {
  expect(formatJson('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(formatJson('{oops')).toBe('{oops')
})
