import { type Decimal, toNumber } from '../kernel/money.ts'

/** As many digits as every plain number tells apart; with fewer it prints as the decimal that it was made of. */
const DIGITS_TOLD_APART = 1e15
/** Smaller numbers print with an exponent. */
const LEAST_PLAIN = 1e-6
/** The largest power of ten that is a plain number exactly, so that a quotient by it is rounded once. */
const SCALE_EXACT_MAX = 22

/** The decimal written out exactly, without needless zeros: 1250, 0.525, -3. */
export function decimalText(decimal: Decimal): string {
  const { digits, scale } = decimal
  const value = toNumber(decimal)
  const size = Math.abs(value)
  const isToldApart = digits < DIGITS_TOLD_APART && digits > -DIGITS_TOLD_APART && scale <= SCALE_EXACT_MAX
  return isToldApart && (size >= LEAST_PLAIN || size === 0) ? String(value) : writtenOut(decimal)
}

function writtenOut({ digits, scale }: Decimal): string {
  const sign = digits < 0 ? '-' : ''
  const figures = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  const whole = figures.slice(0, figures.length - scale)
  const fraction = figures.slice(figures.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
