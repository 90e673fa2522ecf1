import { expect, test } from 'bun:test'
import { toCsv } from './csv.ts'

test('starts with a byte order mark, so that spreadsheets read Chinese', () => {
  expect(toCsv([['名称']])).toBe('\uFEFF名称\r\n')
})

test('quotes commas, quotes and line breaks', () => {
  expect(toCsv([['a,b', 'say "hi"', 'two\nlines', 3]])).toBe('\uFEFF"a,b","say ""hi""","two\nlines",3\r\n')
})

test.each(['=1+1', '+1', '-1', '@sum', '\tx'])('a cell that begins like a formula is made text: %p', cell => {
  expect(toCsv([[cell]])).toBe(`\uFEFF'${cell}\r\n`)
})

test('leaves numbers as they are, including negative ones', () => {
  expect(toCsv([[-5]])).toBe('\uFEFF-5\r\n')
})
