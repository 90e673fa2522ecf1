import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { decimal } from '../core/money.ts'
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

test('the text has the very digits of the decimal, whatever their number', () => {
  fc.assert(
    fc.property(
      fc.oneof(...[3n, 9n, 15n, 16n, 17n].map(size => fc.bigInt({ min: -(10n ** size), max: 10n ** size }))),
      fc.nat(26),
      (digits, scale) => {
        const plain = Number(digits)
        const text = decimalText({ digits: Number.isSafeInteger(plain) ? plain : digits, scale })
        const [whole = '', fraction = ''] = text.split('.')
        expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/)
        expect(BigInt(whole + fraction.padEnd(scale, '0'))).toBe(digits)
      },
    ),
    { numRuns: 5000 },
  )
})
