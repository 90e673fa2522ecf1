import { expect, test } from 'bun:test'
import { parseAmount } from '#console/app/settings/parse-amount.ts'
import { parseNumberTable, parseTextTable, stringifyTable, withEntry } from './option-table.ts'

test('parses a table and treats empty text as an empty table', () => {
  expect(parseNumberTable('{"a": 1.5}')).toEqual({ a: 1.5 })
  expect(parseNumberTable('')).toEqual({})
  expect(parseTextTable('{"a": "b"}')).toEqual({ a: 'b' })
})

test('rejects anything that is not a table', () => {
  for (const text of ['{', '[]', '{"a": "1"}', '{"a": 1e30}', '{"a": -1}', '{"a":1,"a":2}'])
    expect(parseNumberTable(text)).toBeUndefined()
})

test('changes an entry in place, appends a new one and removes one', () => {
  expect(stringifyTable(withEntry({ a: 1, b: 2 }, 'a', 3))).toBe('{\n  "a": 3,\n  "b": 2\n}')
  expect(withEntry({ a: 1 }, 'c', 0)).toEqual({ a: 1, c: 0 })
  expect(withEntry({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 })
})

test('parses only numbers of at least 0 and at most a billion', () => {
  expect([' 1.5 ', '0', '1e-3'].map(parseAmount)).toEqual([1.5, 0, 0.001])
  for (const typed of ['', ' ', '-1', 'one', 'Infinity', '1e30']) expect(parseAmount(typed)).toBeUndefined()
})
