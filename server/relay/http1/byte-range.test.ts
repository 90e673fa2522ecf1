import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { sizeOf, textOf, viewOf } from './byte-range.ts'

const stretchOf = (text: string) => {
  const bytes = Buffer.from(`head${text}rest`)
  return { bytes, start: 4, end: bytes.length - 4 }
}

test('its view and its text are of its own bytes alone', () => {
  const stretch = stretchOf('你好 👋')
  expect(textOf(stretch)).toBe('你好 👋')
  expect(new TextDecoder().decode(viewOf(stretch))).toBe('你好 👋')
  expect(sizeOf(stretch)).toBe(11)
})

test('a mark of the byte order is no part of the text', () => {
  expect(textOf(stretchOf('\uFEFF{}'))).toBe('{}')
})

test('any bytes read as a decoder reads them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      const stretch = { bytes: Buffer.from(bytes), start: 0, end: bytes.length }
      expect(textOf(stretch)).toBe(new TextDecoder().decode(bytes))
    }),
    { numRuns: 5000 },
  )
})
