import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { decimal } from '../kernel/money.ts'
import { decimalText } from './decimal-text.ts'

test('a decimal is written out without needless zeros', () => {
  expect(decimalText({ digits: 12500n, scale: 1 })).toBe('1250')
  expect(decimalText({ digits: 525n, scale: 3 })).toBe('0.525')
  expect(decimalText({ digits: -5n, scale: 2 })).toBe('-0.05')
  expect(decimalText({ digits: 0n, scale: 4 })).toBe('0')
})

test('any number reads back from its text', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
      expect(Number(decimalText(decimal(value)))).toBe(value === 0 ? 0 : value)
    }),
  )
})
