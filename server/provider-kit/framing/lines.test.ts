import { expect, test } from 'bun:test'
import { GatewayError } from '../../core/errors.ts'
import { openLines, withoutEnd } from './lines.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('gives lines when they are complete', () => {
  const lines = openLines()
  expect(lines.push(bytes('one\ntw'))).toEqual(['one\n'])
  expect(lines.push(bytes('o'))).toEqual([])
  expect(lines.push(bytes('\nthree'))).toEqual(['two\n'])
  expect(lines.end()).toEqual(['three'])
})

test('keeps CR and LF together when a cut comes between them', () => {
  const lines = openLines()
  expect(lines.push(bytes('one\r'))).toEqual([])
  expect(lines.push(bytes('\ntwo\r'))).toEqual(['one\r\n'])
  expect(lines.push(bytes('three'))).toEqual(['two\r'])
})

test('refuses a line beyond the limit instead of keeping it', () => {
  const lines = openLines(8)
  lines.push(bytes('12345678'))
  expect(() => lines.push(bytes('9'))).toThrow(GatewayError)
})

test('takes any number of lines within the limit', () => {
  const lines = openLines(8)
  for (let count = 0; count < 100; count++) expect(lines.push(bytes('1234567\n'))).toHaveLength(1)
})

test('knows every line end', () => {
  expect(['a\n', 'a\r\n', 'a\r', 'a'].map(withoutEnd)).toEqual(['a', 'a', 'a', 'a'])
})
