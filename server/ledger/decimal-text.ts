import type { Decimal } from '../kernel/money.ts'

/** The decimal written out exactly, without needless zeros: 1250, 0.525, -3. */
export function decimalText({ digits, scale }: Decimal): string {
  const sign = digits < 0 ? '-' : ''
  const figures = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  const whole = figures.slice(0, figures.length - scale)
  const fraction = figures.slice(figures.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
