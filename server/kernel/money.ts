declare const quotaMark: unique symbol

/** Money: a whole number of units, 500,000 to the dollar. Made only by `quota`, so that no fraction or stray number becomes money. */
export type Quota = number & { readonly [quotaMark]: true }

export const UNITS_PER_DOLLAR = 500_000
export const NO_QUOTA = quota(0)

/** Throws a RangeError for anything but a whole number that fits exactly. */
export function quota(units: number): Quota {
  if (!Number.isSafeInteger(units))
    throw new RangeError(`quota must be a whole number of units, found ${units}`)
  return units as Quota
}

export const addQuota = (a: Quota, b: Quota): Quota => quota(a + b)
export const subtractQuota = (a: Quota, b: Quota): Quota => quota(a - b)

/** An exact decimal: `digits × 10^-scale`. Prices are multiplied and added in it, and rounded once, at the end. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/

/** The decimal a number prints as: 0.1 is one tenth, not its binary neighbour. Throws for NaN and infinities. */
export function decimal(value: number): Decimal {
  if (Number.isSafeInteger(value)) return { digits: BigInt(value), scale: 0 }
  const match = DECIMAL_TEXT.exec(String(value))
  if (!match) throw new RangeError(`a price figure must be a finite number, found ${value}`)
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(sign + whole + fraction)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
})

export function add(a: Decimal, b: Decimal): Decimal {
  if (a.scale === b.scale) return { digits: a.digits + b.digits, scale: a.scale }
  const scale = Math.max(a.scale, b.scale)
  return { digits: atScale(a, scale) + atScale(b, scale), scale }
}

const atScale = (value: Decimal, scale: number): bigint => value.digits * 10n ** BigInt(scale - value.scale)

/** Rounds to whole units, halves away from zero. Throws a RangeError when the result is too large to be exact. */
export function roundToQuota({ digits, scale }: Decimal): Quota {
  if (scale === 0) return quota(Number(digits))
  const unit = 10n ** BigInt(scale)
  const half = unit / 2n
  const rounded = digits >= 0n ? (digits + half) / unit : -((-digits + half) / unit)
  return quota(Number(rounded))
}

/** For receipts and logs only: never compute with the result. */
export const toNumber = ({ digits, scale }: Decimal): number => Number(digits) / 10 ** scale
