import { expect, test } from 'bun:test'
import { isDeeperThan, JSON_DEPTH_MAX, parseJsonBody } from './json.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test('parses JSON up to the maximum depth and rejects deeper JSON', () => {
  expect(parseJsonBody(nested(JSON_DEPTH_MAX))).toBeArray()
  expect(() => parseJsonBody(nested(JSON_DEPTH_MAX + 1))).toThrow('128 levels')
})

test('rejects a hundred thousand levels of arrays or objects without overflowing the stack', () => {
  for (const text of [nested(100_000), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`])
    expect(() => parseJsonBody(text)).toThrow('levels')
})

test('reports what is wrong with text that is not JSON', () => {
  expect(() => parseJsonBody('{')).toThrow('not valid JSON')
})

test('measures depth by levels, not by entries', () => {
  expect(isDeeperThan(1, { a: 1, b: 'x' })).toBe(false)
  expect(isDeeperThan(1, { a: [] })).toBe(true)
  expect(isDeeperThan(0, 'text')).toBe(false)
  expect(
    isDeeperThan(
      2,
      Array.from({ length: 100_000 }, () => ({})),
    ),
  ).toBe(false)
})
