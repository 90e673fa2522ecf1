import { type Language, useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'
import { useIsMasked } from '../preferences/privacy.tsx'

export interface MoneyRules {
  /** Quota units of one dollar. */
  readonly quotaPerUnit: number
  /** False: amounts are shown as plain quota. */
  readonly isInCurrency: boolean
  readonly language: Language
}

const EXACT_DIGITS = 6
const COMMON_DIGITS = 2
/** Smaller amounts keep two significant digits, so that small costs never read as zero. */
const SMALL_DOLLARS = 0.1
const MASK = '••••'

const numberFormat = (language: Language, options?: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat(language === 'zh' ? 'zh-CN' : 'en-US', options)

export const formatNumber = (value: number, language: Language): string =>
  numberFormat(language).format(value)

/** `$3.10`, `$0.000031`, or `1,550,000` when the installation shows quota. */
export function formatMoney(quota: number, rules: MoneyRules): string {
  if (!rules.isInCurrency) return formatNumber(quota, rules.language)
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

/** Six decimals, for bills and tooltips: `$0.005256`. */
export function formatExactMoney(quota: number, rules: MoneyRules): string {
  if (!rules.isInCurrency) return formatNumber(quota, rules.language)
  const digits = { minimumFractionDigits: EXACT_DIGITS, maximumFractionDigits: EXACT_DIGITS }
  const dollars = quota / rules.quotaPerUnit
  return `${dollars < 0 ? '-' : ''}$${numberFormat(rules.language, digits).format(Math.abs(dollars))}`
}

export const maskedMoney = (): string => MASK

/** Converts dollars to whole quota units. */
export const dollarsToQuota = (dollars: number, quotaPerUnit: number): number =>
  Math.round(dollars * quotaPerUnit)

interface MoneyFormat extends MoneyRules {
  /** Two decimals, or two significant digits for small amounts. Masked while amounts are hidden. */
  readonly money: (quota: number) => string
  /** Six decimals. */
  readonly exact: (quota: number) => string
}

/** Formats amounts as the installation and the user's preferences require. */
export function useMoney(): MoneyFormat {
  const { quota_per_unit: quotaPerUnit, display_in_currency: isInCurrency } = useStatus()
  const language = useLanguage()
  const isMasked = useIsMasked()
  const rules = { quotaPerUnit, isInCurrency, language }
  return {
    ...rules,
    money: quota => (isMasked ? maskedMoney() : formatMoney(quota, rules)),
    exact: quota => (isMasked ? maskedMoney() : formatExactMoney(quota, rules)),
  }
}

/** An amount, with six decimals and the raw quota in its tooltip. */
export function MoneyText({ quota }: { readonly quota: number }) {
  const { money, exact, language } = useMoney()
  const isMasked = useIsMasked()
  return (
    <span
      className="tabular"
      title={isMasked ? undefined : `${exact(quota)} · ${formatNumber(quota, language)}`}
    >
      {money(quota)}
    </span>
  )
}
