import { expect, test } from 'bun:test'
import { parseJsonText } from './json-text.ts'

test('reads valid JSON', () => {
  expect(parseJsonText('{"a":[1,{"a":"{,:\\""}]}')).toEqual({ ok: true, value: { a: [1, { a: '{,:"' }] } })
})

test('rejects a duplicate key, also when it is written with escapes', () => {
  for (const text of ['{"a":1,"a":2}', '{"b":{"a":1,"c":[{}],"\\u0061":2}}'])
    expect(parseJsonText(text)).toMatchObject({
      ok: false,
      problem: { en: 'the key "a" appears twice' },
    })
})

test('allows the same key in different objects and as a value', () => {
  expect(parseJsonText('[{"a":"a"},{"a":{"a":["a","a"]}}]').ok).toBe(true)
})

test('explains what is wrong with invalid JSON', () => {
  const parsed = parseJsonText('{"a":')
  expect(parsed.ok).toBe(false)
  expect(parsed.ok ? '' : parsed.problem.zh).toStartWith('不是合法的 JSON')
})

test('rejects excessive nesting', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  expect(parseJsonText(nested(100)).ok).toBe(true)
  expect(parseJsonText(nested(101)).ok).toBe(false)
  expect(parseJsonText(nested(30_000)).ok).toBe(false)
})
