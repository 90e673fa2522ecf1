import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { add, type Decimal, decimal, isLarger, isZero, multiply, quota, roundToQuota } from './money.ts'

/** Small ones, ones at the border of what a plain number holds exactly, and ones far beyond it. */
const digits = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
)
const decimals = fc.record({ digits, scale: fc.nat(20) })

/** The same in big integers only: digits at a scale that no figure here exceeds. */
const SCALE = 40
const exactly = ({ digits: found, scale }: Decimal): bigint => BigInt(found) * 10n ** BigInt(SCALE - scale)

test('sums and products are exact, whatever the size of the figures', () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      expect(exactly(add(a, b))).toBe(exactly(a) + exactly(b))
      expect(exactly(multiply(a, b)) * 10n ** BigInt(SCALE)).toBe(exactly(a) * exactly(b))
      expect(isLarger(a, b)).toBe(exactly(a) > exactly(b))
      expect(isZero(a)).toBe(exactly(a) === 0n)
    }),
  )
})

test('rounds once, halves away from zero, to a whole number without a sign of its own', () => {
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
  [0.1, 1, 1],
  [1e21, 10n ** 21n, 0],
  [-0, 0, 0],
  [1.5e-7, 15, 8],
])('reads %p as the decimal it prints as', (value, found, scale) => {
  expect(decimal(value)).toEqual({ digits: found, scale })
})
