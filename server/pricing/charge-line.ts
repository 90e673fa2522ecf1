import type { Decimal } from '../core/money.ts'
import type { TokenBucket } from './list-price.ts'

/** What one line of a bill is for. `tool…` lines are for what a tool of the provider made with another model. */
export type BilledItem =
  | TokenBucket
  | 'call'
  | 'images'
  | 'seconds'
  | 'webSearches'
  | 'toolCalls'
  | 'toolImages'
  | 'toolInput'
  | 'toolImageInput'
  | 'toolOutput'

/** One line of a bill: tokens × ratio × unit price. `amount` is in units, an exact decimal as text. */
export interface ChargeLine {
  readonly bucket: BilledItem
  /** How many of the item; 0 on the line of a call price. */
  readonly tokens: number
  /** The price of one item in input tokens; on the line of a call price the number of charged calls. */
  readonly ratio: number
  readonly amount: string
  /** The prompt has more tokens than this, which the provider charges at a higher price. */
  readonly above?: number
  /** The service tier and the region whose prices apply. */
  readonly tier?: string
  readonly region?: string
  /** Units of one item, where it has a price of its own instead of a ratio. */
  readonly each?: string
  /** Which tool or model. */
  readonly name?: string
}

/** Lines, and their exact sum. */
export interface PricedLines {
  readonly sum: Decimal
  readonly lines: readonly ChargeLine[]
}

/** The exact decimal as text without trailing zeros: 1250, 0.525, -3. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0 ? '-' : ''
  const figures = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  const integer = figures.slice(0, figures.length - scale)
  const fraction = figures.slice(figures.length - scale).replace(/0+$/, '')
  return fraction === '' ? sign + integer : `${sign}${integer}.${fraction}`
}
