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

test.each([
  ['a;=1+1', "a;'=1+1"],
  ['a|@sum', "a|'@sum"],
  ['a\t+1', "a\t'+1"],
  ['a; "=1', `"a;' ""=1"`],
  ['a\n=1', `"a\n'=1"`],
  ['a,b,-1', `"a,b,'-1"`],
  [' =1', "' =1"],
  ['＝1', "'＝1"],
])('a formula after a separator is made text: %p', (cell, written) => {
  expect(toCsv([[cell]])).toBe(`\uFEFF${written}\r\n`)
})

test('a text without a formula stays as it is', () => {
  expect(toCsv([['a-b=c;d e@f|2+2']])).toBe('\uFEFFa-b=c;d e@f|2+2\r\n')
})
