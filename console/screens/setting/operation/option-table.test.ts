import { expect, test } from 'bun:test'
import { figureOf, figuresIn, tableText, withEntry, wordsIn } from './option-table.ts'

test('a table is read from its text, an empty text is an empty table', () => {
  expect(figuresIn('{"a": 1.5}')).toEqual({ a: 1.5 })
  expect(figuresIn('')).toEqual({})
  expect(wordsIn('{"a": "b"}')).toEqual({ a: 'b' })
})

test('what is no table is not guessed at', () => {
  for (const text of ['{', '[]', '{"a": "1"}', '{"a": -1}', '{"a":1,"a":2}'])
    expect(figuresIn(text)).toBeUndefined()
})

test('an entry is changed in its place, added at the end, or taken out', () => {
  expect(tableText(withEntry({ a: 1, b: 2 }, 'a', 3))).toBe('{\n  "a": 3,\n  "b": 2\n}')
  expect(withEntry({ a: 1 }, 'c', 0)).toEqual({ a: 1, c: 0 })
  expect(withEntry({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 })
})

test('a figure is a number from 0 up', () => {
  expect([' 1.5 ', '0', '1e-3'].map(figureOf)).toEqual([1.5, 0, 0.001])
  for (const typed of ['', ' ', '-1', 'one', 'Infinity']) expect(figureOf(typed)).toBeUndefined()
})
