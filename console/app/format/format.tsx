import { createStore, useStore } from '../../ui/store.ts'
import { type Language, useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'
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

/** Prices have fewer digits; the rest is noise of the ratios that they are computed from. */
const PRICE_DIGITS = 7
const PRICE_DECIMALS_MAX = 12

/** A price with all of its digits: `$2.50`, `$0.125`, `$0.0375`. */
export function formatPrice(dollars: number, language: Language): string {
  const digits = { minimumFractionDigits: COMMON_DIGITS, maximumFractionDigits: PRICE_DECIMALS_MAX }
  return `$${numberFormat(language, digits).format(Number(dollars.toPrecision(PRICE_DIGITS)))}`
}

/** Six decimals, for bills and tooltips: `$0.005256`. */
export function formatExactMoney(quota: number, rules: MoneyRules): string {
  if (!rules.isInCurrency) return formatNumber(quota, rules.language)
  const digits = { minimumFractionDigits: EXACT_DIGITS, maximumFractionDigits: EXACT_DIGITS }
  const dollars = quota / rules.quotaPerUnit
  return `${dollars < 0 ? '-' : ''}$${numberFormat(rules.language, digits).format(Math.abs(dollars))}`
}

const formatQuotaPrice = (quota: number, { isInCurrency, quotaPerUnit, language }: MoneyRules): string =>
  isInCurrency
    ? formatPrice(quota / quotaPerUnit, language)
    : numberFormat(language, { maximumSignificantDigits: PRICE_DIGITS }).format(quota)

export const maskedMoney = (): string => MASK

/** Converts dollars to whole quota units. */
export const dollarsToQuota = (dollars: number, quotaPerUnit: number): number =>
  Math.round(dollars * quotaPerUnit)

interface MoneyFormat extends MoneyRules {
  /** Two decimals, or two significant digits for small amounts. Masked while amounts are hidden. */
  readonly money: (quota: number) => string
  /** Six decimals. */
  readonly exact: (quota: number) => string
  /** All digits of a price. */
  readonly price: (quota: number) => string
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
    price: quota => (isMasked ? maskedMoney() : formatQuotaPrice(quota, rules)),
  }
}

/** An amount, with six decimals in its tooltip. */
export function MoneyText({ quota }: { readonly quota: number }) {
  const { money, exact } = useMoney()
  return (
    <span className="tabular" title={useIsMasked() ? undefined : exact(quota)}>
      {money(quota)}
    </span>
  )
}

const DATE_TIME = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30 * DAY
const YEAR = 365 * DAY

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** Returns a function that gives the whole milliseconds since the start. */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  return () => Math.round(performance.now() - startedAt)
}

const two = (value: number): string => String(value).padStart(2, '0')

/** `2026-11-21 08:05:09` in the local time zone. */
export function formatDateTime(unixSeconds: number): string {
  const at = new Date(unixSeconds * 1000)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** Parses `yyyy-MM-dd HH:mm:ss` (time and seconds are optional) in the local time zone. Undefined for anything else. */
export function parseDateTime(text: string): number | undefined {
  const match = DATE_TIME.exec(text.trim())
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map(part => Number(part ?? 0))
  const at = new Date(year, month - 1, day, hour, minute, second)
  const isReal =
    at.getMonth() === month - 1 &&
    at.getDate() === day &&
    at.getHours() === hour &&
    at.getMinutes() === minute
  return isReal && second < MINUTE ? Math.floor(at.getTime() / 1000) : undefined
}

const STEPS: ReadonlyArray<readonly [number, number, Intl.RelativeTimeFormatUnit]> = [
  [MINUTE, 1, 'second'],
  [HOUR, MINUTE, 'minute'],
  [DAY, HOUR, 'hour'],
  [MONTH, DAY, 'day'],
  [YEAR, MONTH, 'month'],
  [Number.POSITIVE_INFINITY, YEAR, 'year'],
]

/** `3 minutes ago`, `in 2 days`, in whole units rounded towards zero. */
export function formatRelative(unixSeconds: number, now: number, language: Language): string {
  const distance = unixSeconds - now
  const [, unitSeconds, unit] = STEPS.find(([below]) => Math.abs(distance) < below) ?? [
    0,
    YEAR,
    'year' as const,
  ]
  const format = new Intl.RelativeTimeFormat(language === 'zh' ? 'zh-CN' : 'en', { numeric: 'auto' })
  return format.format(Math.trunc(distance / unitSeconds), unit)
}

/** The name of the local zone, such as `Asia/Kolkata`. */
export const localTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The local offset as `UTC+8`. */
export function timeZoneName(at: Date = new Date()): string {
  const minutes = -at.getTimezoneOffset()
  const hours = Math.trunc(Math.abs(minutes) / MINUTE)
  const rest = Math.abs(minutes) % MINUTE
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest ? `:${two(rest)}` : ''}`
}

export const TIME_FORMATS = ['exact', 'relative'] as const
type TimeFormat = (typeof TIME_FORMATS)[number]

const format = createStore<TimeFormat>(readStored('time-format') === 'relative' ? 'relative' : 'exact')

/** Whether times are shown as date and time or relative to now. */
export const useTimeFormat = (): TimeFormat => useStore(format)

export function chooseTimeFormat(chosen: TimeFormat): void {
  writeStored('time-format', chosen === 'exact' ? undefined : chosen)
  format.set(chosen)
}

/** A time in the preferred format and the local time zone, with the other format as a tooltip. */
export function TimeText({ unixSeconds }: { readonly unixSeconds: number }) {
  const language = useLanguage()
  const isRelative = useTimeFormat() === 'relative'
  const exact = formatDateTime(unixSeconds)
  const relative = formatRelative(unixSeconds, nowSeconds(), language)
  return (
    <time
      dateTime={new Date(unixSeconds * 1000).toISOString()}
      title={isRelative ? exact : relative}
      className="tabular whitespace-nowrap"
    >
      {isRelative ? relative : exact}
    </time>
  )
}
