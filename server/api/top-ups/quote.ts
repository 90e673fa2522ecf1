import { QUOTA_MAX } from '#contract/fields.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { type Decimal, decimal, multiply, type Quota, roundToQuota } from '../../core/money.ts'
import { refuse } from './refuse.ts'

const CENTS = decimal(100)
const AMOUNT_MAX = QUOTA_MAX
const SMALLEST_MONEY_CENTS = 1n

/** What an amount brings and costs. */
export interface Quote {
  readonly quota: Quota
  readonly moneyCents: number
}

/**
 * Prices an amount for a user of the group: whole dollars, or units where the settings show units.
 * The money is exact and rounded once, halves up. Throws a refusal when the amount is out of bounds.
 */
export function quoteOf(amount: number, group: string, values: OptionValues): Quote {
  const { MinTopUp, QuotaPerUnit, Price, DisplayInCurrencyEnabled: isInDollars } = values
  const least = isInDollars ? MinTopUp : Math.ceil(MinTopUp * QuotaPerUnit)
  if (!Number.isInteger(amount)) throw refuse('not_whole')
  if (amount < least) throw refuse('too_little', { least })
  const units = isInDollars ? amount * QuotaPerUnit : amount
  if (amount > AMOUNT_MAX || units > QUOTA_MAX) throw refuse('too_much')
  const asked = [Price, groupRatio(values, group)].map(decimal).reduce(multiply, decimal(amount))
  const cents = divide(multiply(asked, CENTS), decimal(isInDollars ? 1 : QuotaPerUnit))
  if (cents < SMALLEST_MONEY_CENTS) throw refuse('money_too_little')
  if (cents > BigInt(Number.MAX_SAFE_INTEGER)) throw refuse('too_much')
  const perAmount = isInDollars ? decimal(QuotaPerUnit) : decimal(1)
  return { quota: roundToQuota(multiply(decimal(amount), perAmount)), moneyCents: Number(cents) }
}

/** Missing and 0 mean 1. */
function groupRatio({ TopupGroupRatio: ratios }: OptionValues, group: string): number {
  return (Object.hasOwn(ratios, group) ? ratios[group] : undefined) || 1
}

/** Whole quotient of two positive decimals, halves up. */
function divide(a: Decimal, b: Decimal): bigint {
  const dividend = BigInt(a.digits) * 10n ** BigInt(b.scale)
  const divisor = BigInt(b.digits) * 10n ** BigInt(a.scale)
  return (dividend * 2n + divisor) / (divisor * 2n)
}
