import { type Decimal, toNumber } from '../core/money.ts'

/** As many digits as every plain number tells apart; with fewer it prints as the decimal that it was made of. */
const DIGITS_TOLD_APART = 1e15
/** Smaller numbers print with an exponent. Above it the power of ten that was divided by is exact: it is below 1e22. */
const LEAST_PLAIN = 1e-6

/** The decimal written out exactly, without needless zeros: 1250, 0.525, -3. */
export function decimalText(decimal: Decimal): string {
  const { digits } = decimal
  const value = toNumber(decimal)
  const isToldApart = digits < DIGITS_TOLD_APART && digits > -DIGITS_TOLD_APART
  return isToldApart && Math.abs(value) >= LEAST_PLAIN ? String(value) : writtenOut(decimal)
}

function writtenOut({ digits, scale }: Decimal): string {
  const sign = digits < 0 ? '-' : ''
  const figures = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  const whole = figures.slice(0, figures.length - scale)
  const fraction = figures.slice(figures.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
