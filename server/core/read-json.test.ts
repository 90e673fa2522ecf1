import { expect, test } from 'bun:test'
import { isDeeperThan, JSON_LEVELS_MAX, readJson } from './read-json.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test('reads what is nested as deeply as is allowed, and nothing deeper', () => {
  expect(readJson(nested(JSON_LEVELS_MAX))).toBeArray()
  expect(() => readJson(nested(JSON_LEVELS_MAX + 1))).toThrow('128 levels')
})

test('refuses a hundred thousand levels at once, in lists and in objects', () => {
  for (const text of [nested(100_000), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`])
    expect(() => readJson(text)).toThrow('levels')
})

test('says what is wrong with a text that is no JSON', () => {
  expect(() => readJson('{')).toThrow('not valid JSON')
})

test('counts levels, not entries', () => {
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
