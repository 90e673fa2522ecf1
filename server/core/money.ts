import type { BothLanguages } from './language.ts'

declare const quotaMark: unique symbol

/**
 * Money: a whole number of units, 500,000 to the dollar. Only `quota` makes one, so no fraction or stray number becomes
 * money.
 */
export type Quota = number & { readonly [quotaMark]: true }

export const UNITS_PER_DOLLAR = 500_000
export const NO_QUOTA = quota(0)

/** Throws a RangeError for anything but a safe integer. */
export function quota(units: number): Quota {
  if (!Number.isSafeInteger(units))
    throw new RangeError(`quota must be a whole number of units, found ${units}`)
  return units as Quota
}

export const addQuota = (a: Quota, b: Quota): Quota => quota(a + b)
export const subtractQuota = (a: Quota, b: Quota): Quota => quota(a - b)

/** An exact decimal: `digits × 10^-scale`. Prices are multiplied and added as decimals and rounded once, at the end. */
export interface Decimal {
  readonly digits: bigint
  /** Never negative. */
  readonly scale: number
}

const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/

/** The decimal that a number prints as: 0.1 is one tenth, not its binary neighbour. Throws a RangeError for NaN and infinities. */
export function decimal(value: number | string): Decimal {
  if (Number.isSafeInteger(value)) return { digits: BigInt(value), scale: 0 }
  const match = DECIMAL_TEXT.exec(String(value))
  if (!match) throw new RangeError(`a price must be a finite number, found ${value}`)
  const [, sign = '', integer = '0', fraction = '', exponent = '0'] = match
  const digits = BigInt(sign + integer + fraction)
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { digits, scale } : { digits: digits * powerOfTen(-scale), scale: 0 }
}

export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
})

export const multiplyBy = (a: Decimal, count: number): Decimal => multiply(a, decimal(count))

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { digits: digitsAtScale(a, scale) + digitsAtScale(b, scale), scale }
}

export const isZero = ({ digits }: Decimal): boolean => digits === 0n

export function isLarger(a: Decimal, b: Decimal): boolean {
  const scale = Math.max(a.scale, b.scale)
  return digitsAtScale(a, scale) > digitsAtScale(b, scale)
}

/** Rounds to whole units, halves away from zero. Throws a RangeError when the result is not a safe integer. */
export function roundToQuota({ digits, scale }: Decimal): Quota {
  const unit = powerOfTen(scale)
  const half = unit / 2n
  return quota(Number(digits >= 0n ? (digits + half) / unit : -((half - digits) / unit)))
}

/** Billionths of a dollar, in which costs are counted. */
export const NANOS_PER_UNIT = 2_000
const NANOS: Decimal = { digits: BigInt(NANOS_PER_UNIT), scale: 0 }

/** An amount of units in whole billionths of a dollar, halves away from zero. Throws a RangeError beyond the safe integers. */
export const roundToNanos = (units: Decimal): number => roundToQuota(multiply(units, NANOS))

/** For receipts and logs only: never compute with the result. */
export const toNumber = ({ digits, scale }: Decimal): number => Number(digits) / 10 ** scale

/** The exact decimal as text without trailing zeros: 1250, 0.525, -3. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0 ? '-' : ''
  const figures = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  const integer = figures.slice(0, figures.length - scale)
  const fraction = figures.slice(figures.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + integer : `${sign}${integer}.${fraction}`
}

const digitsAtScale = ({ digits, scale: ownScale }: Decimal, scale: number): bigint =>
  scale === ownScale ? digits : digits * powerOfTen(scale - ownScale)

/** Scales are small, and computing a power costs more than the arithmetic around it. */
const POWERS_OF_TEN = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent))
const powerOfTen = (exponent: number): bigint => POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent)

/** The options that say how amounts are shown. */
export interface AmountFormat {
  readonly DisplayInCurrencyEnabled: boolean
  readonly QuotaPerUnit: number
}

const DOLLAR_DIGITS = 6

/** An amount for texts that people read, in dollars or in quota units as the options say. */
export function formatQuota(
  units: number,
  { DisplayInCurrencyEnabled, QuotaPerUnit }: AmountFormat,
): BothLanguages {
  if (!DisplayInCurrencyEnabled) return { zh: `${units} 点`, en: `${units} units` }
  const dollars = (units / QuotaPerUnit).toFixed(DOLLAR_DIGITS)
  return { zh: `＄${dollars}`, en: `$${dollars}` }
}
