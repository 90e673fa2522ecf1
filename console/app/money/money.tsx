import { type Language, useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'
import { useMasked } from '../preferences/privacy.tsx'

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

interface MoneyFormat extends MoneyRules {
  /** For people: two digits, or two significant ones when it is small. Hidden while amounts are masked. */
  readonly money: (quota: number) => string
  /** Six digits. */
  readonly exact: (quota: number) => string
}

/** How this installation and this reader write amounts. */
export function useMoney(): MoneyFormat {
  const { quota_per_unit: quotaPerUnit, display_in_currency: inCurrency } = useStatus()
  const language = useLanguage()
  const isMasked = useMasked()
  const rules = { quotaPerUnit, inCurrency, language }
  return {
    ...rules,
    money: quota => (isMasked ? maskedMoney() : formatMoney(quota, rules)),
    exact: quota => (isMasked ? maskedMoney() : formatExactMoney(quota, rules)),
  }
}

/** An amount; its six digits and the raw quota on hover. */
export function MoneyText({ quota }: { readonly quota: number }) {
  const { money, exact, language } = useMoney()
  const isMasked = useMasked()
  return (
    <span
      className="tabular"
      title={isMasked ? undefined : `${exact(quota)} · ${formatNumber(quota, language)}`}
    >
      {money(quota)}
    </span>
  )
}
