import type { Status } from '#contract/status.ts'

const DOLLARS = [1, 5, 10, 20, 50, 100] as const

export interface AmountRules {
  /** The smallest amount to buy: dollars, or quota units where the installation shows units. */
  readonly minimum: number
  /** Common amounts, none below the minimum. */
  readonly presets: readonly number[]
  /** Quota units of an amount of one. */
  readonly unitsPerAmount: number
  /** Yuan for an amount of one, before the ratio of the group. */
  readonly price: number
}

type TopUpStatus = Pick<Status, 'min_topup' | 'quota_per_unit' | 'display_in_currency' | 'price'>

/** The amounts that can be bought, by the rules that the server applies. */
export function amountRules(status: TopUpStatus): AmountRules {
  const { min_topup: min, quota_per_unit: perUnit, display_in_currency: inDollars, price } = status
  const factor = inDollars ? 1 : perUnit
  const minimum = Math.max(inDollars ? min : Math.ceil(min * perUnit), 1)
  const common = DOLLARS.map(dollars => dollars * factor).filter(amount => amount >= minimum)
  const presets = common.length > 0 ? common : [minimum, minimum * 2, minimum * 5]
  return { minimum, presets, unitsPerAmount: inDollars ? perUnit : 1, price: price / factor }
}

/** Parses a typed amount and rounds it down to a whole number of at least 1. Undefined when it is not a number. */
export function parseAmount(typed: string): number | undefined {
  const amount = Number(typed.trim())
  if (typed.trim() === '' || !Number.isFinite(amount)) return undefined
  return Math.max(Math.floor(amount), 1)
}

const HUNDREDTHS = 100

/** `¥36.50`. */
export const formatYuan = (money: number): string =>
  `¥${(Math.round(money * HUNDREDTHS) / HUNDREDTHS).toFixed(2)}`

const RATIO_DIGITS = 4

/** The ratio of the group that a quoted price contains. */
export const quotedRatio = (quoted: number, amount: number, { price }: AmountRules): number =>
  amount * price > 0 ? Number((quoted / (amount * price)).toFixed(RATIO_DIGITS)) : 1
