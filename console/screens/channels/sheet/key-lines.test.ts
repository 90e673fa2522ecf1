import { expect, test } from 'bun:test'
import { keyLines } from './key-lines.ts'

test('drops and counts blank lines and repeats; a line end after the last key is no blank line', () => {
  expect(keyLines('a\n\n b \na\n')).toEqual({ keys: ['a', 'b'], blanks: 1, repeats: 1 })
})

test('nothing typed is no key and nothing dropped', () => {
  expect(keyLines('\n \n')).toEqual({ keys: [], blanks: 0, repeats: 0 })
})
