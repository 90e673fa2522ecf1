import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { add, type Decimal, decimal, isLarger, isZero, multiply, quota, roundToQuota } from './money.ts'

/** Small decimals, decimals at the limit of exact numbers, and far larger ones. */
const digits = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map(BigInt),
  fc.maxSafeInteger().map(BigInt),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
)
const decimals = fc.record({ digits, scale: fc.nat(20) })

/** The value as digits at one scale that no decimal here exceeds. */
const SCALE = 40
const exactly = ({ digits: own, scale }: Decimal): bigint => own * 10n ** BigInt(SCALE - scale)

test('adds, multiplies and compares numbers of any size exactly', () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      expect(exactly(add(a, b))).toBe(exactly(a) + exactly(b))
      expect(exactly(multiply(a, b)) * 10n ** BigInt(SCALE)).toBe(exactly(a) * exactly(b))
      expect(isLarger(a, b)).toBe(exactly(a) > exactly(b))
      expect(isZero(a)).toBe(exactly(a) === 0n)
    }),
  )
})

test('rounds halves away from zero, and never to a negative zero', () => {
  fc.assert(
    fc.property(decimals, value => {
      const unit = 10n ** BigInt(SCALE)
      const size = exactly(value) < 0n ? -exactly(value) : exactly(value)
      const rounded = Number(((size + unit / 2n) / unit) * (exactly(value) < 0n ? -1n : 1n))
      if (Number.isSafeInteger(rounded)) expect(roundToQuota(value)).toBe(quota(rounded))
      else expect(() => roundToQuota(value)).toThrow(RangeError)
    }),
  )
})

test.each([
  [0.1, 1n, 1],
  [1e21, 10n ** 21n, 0],
  [-0, 0n, 0],
  [1.5e-7, 15n, 8],
])('reads %p as the decimal that it prints as', (value, expectedDigits, scale) => {
  expect(decimal(value)).toEqual({ digits: expectedDigits, scale })
})
