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

/** A whole number: a plain one as long as that is exact, since big ones cost several times as much and are garbage afterwards. */
type Digits = number | bigint

/** An exact decimal: `digits × 10^-scale`. Prices are multiplied and added in it, and rounded once, at the end. */
export interface Decimal {
  readonly digits: Digits
  readonly scale: number
}

const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/

/** The decimal a number prints as: 0.1 is one tenth, not its binary neighbour. Throws for NaN and infinities. */
export function decimal(value: number): Decimal {
  if (Number.isSafeInteger(value)) return { digits: value + 0, scale: 0 }
  const match = DECIMAL_TEXT.exec(String(value))
  if (!match) throw new RangeError(`a price figure must be a finite number, found ${value}`)
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match
  const scale = fraction.length - Number(exponent)
  const digits = plainIfExact(BigInt(sign + whole + fraction))
  return scale >= 0 ? { digits, scale } : { digits: times(digits, powerOfTen(-scale)), scale: 0 }
}

export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  digits: times(a.digits, b.digits),
  scale: a.scale + b.scale,
})

/** As often as a count says, which is nearly always whole: then it need not be made a decimal first. */
export const multiplyBy = (a: Decimal, count: number): Decimal =>
  Number.isSafeInteger(count)
    ? { digits: times(a.digits, count), scale: a.scale }
    : multiply(a, decimal(count))

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { digits: plus(atScale(a, scale), atScale(b, scale)), scale }
}

export const isZero = ({ digits }: Decimal): boolean => Number(digits) === 0

export function isLarger(a: Decimal, b: Decimal): boolean {
  const scale = Math.max(a.scale, b.scale)
  return atScale(a, scale) > atScale(b, scale)
}

const atScale = ({ digits, scale: own }: Decimal, scale: number): Digits =>
  own === scale ? digits : times(digits, powerOfTen(scale - own))

/** A sum or product of plain numbers is exact if it is a safe integer. Adding 0 takes the sign from a zero. */
function times(a: Digits, b: Digits): Digits {
  const product = typeof a === 'number' && typeof b === 'number' ? a * b + 0 : Number.NaN
  return Number.isSafeInteger(product) ? product : BigInt(a) * BigInt(b)
}

function plus(a: Digits, b: Digits): Digits {
  const sum = typeof a === 'number' && typeof b === 'number' ? a + b : Number.NaN
  return Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b)
}

const plainIfExact = (digits: bigint): Digits => {
  const plain = Number(digits)
  return Number.isSafeInteger(plain) ? plain : digits
}

const PLAIN_POWERS: readonly number[] = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`))
const powerOfTen = (exponent: number): Digits => PLAIN_POWERS[exponent] ?? 10n ** BigInt(exponent)

/** Rounds to whole units, halves away from zero. Throws a RangeError when the result is too large to be exact. */
export function roundToQuota({ digits, scale }: Decimal): Quota {
  const unit = powerOfTen(scale)
  if (typeof digits === 'number' && typeof unit === 'number') return quota(roundedQuotient(digits, unit))
  return quota(Number(roundedBigQuotient(BigInt(digits), BigInt(unit))))
}

/** Without a fraction in between: what is divided is a multiple of the divisor. */
function roundedQuotient(digits: number, unit: number): number {
  const size = Math.abs(digits)
  const rest = size % unit
  const rounded = (size - rest) / unit + (rest * 2 >= unit ? 1 : 0)
  return digits < 0 ? 0 - rounded : rounded
}

function roundedBigQuotient(digits: bigint, unit: bigint): bigint {
  const half = unit / 2n
  return digits >= 0n ? (digits + half) / unit : -((-digits + half) / unit)
}

/** For receipts and logs only: never compute with the result. */
export const toNumber = ({ digits, scale }: Decimal): number => Number(digits) / 10 ** scale
