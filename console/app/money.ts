import type { Language } from '../ui/text.ts'

export interface MoneyRules {
  /** Quota units of one dollar. */
  readonly quotaPerUnit: number
  /** False shows plain quota. */
  readonly inCurrency: boolean
  readonly language: Language
}

const EXACT_DIGITS = 6
const COMMON_DIGITS = 2
/** Below this an amount keeps two significant digits, so that small costs never read as nothing. */
const SMALL_DOLLARS = 0.1
const MASK = '••••'

const numberFormat = (language: Language, options?: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat(language === 'zh' ? 'zh-CN' : 'en-US', options)

export const formatNumber = (value: number, language: Language): string =>
  numberFormat(language).format(value)

/** `$3.10`, `$0.000031`, or `1,550,000` when the installation shows quota. */
export function formatMoney(quota: number, rules: MoneyRules): string {
  if (!rules.inCurrency) return formatNumber(quota, rules.language)
  return formatDollars(quota / rules.quotaPerUnit, rules.language)
}

export function formatDollars(dollars: number, language: Language): string {
  const sign = dollars < 0 ? '-' : ''
  const size = Math.abs(dollars)
  const isSmall = size > 0 && size < SMALL_DOLLARS
  const figures = isSmall
    ? numberFormat(language, { maximumSignificantDigits: 2 })
    : numberFormat(language, { minimumFractionDigits: COMMON_DIGITS, maximumFractionDigits: COMMON_DIGITS })
  return `${sign}$${figures.format(size)}`
}

/** Six digits, for bills and tooltips: `$0.005256`. */
export function formatExactMoney(quota: number, rules: MoneyRules): string {
  if (!rules.inCurrency) return formatNumber(quota, rules.language)
  const digits = { minimumFractionDigits: EXACT_DIGITS, maximumFractionDigits: EXACT_DIGITS }
  const dollars = quota / rules.quotaPerUnit
  return `${dollars < 0 ? '-' : ''}$${numberFormat(rules.language, digits).format(Math.abs(dollars))}`
}

export const maskedMoney = (): string => MASK

/** Whole quota units of an amount in dollars. */
export const quotaOfDollars = (dollars: number, quotaPerUnit: number): number =>
  Math.round(dollars * quotaPerUnit)
