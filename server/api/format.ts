import type { OptionValues } from '#contract/options/system-options.ts'

const DOLLAR_DIGITS = 6

/** Formats an amount for log texts, in dollars or in quota units as the options say. */
export const formatQuota = (
  units: number,
  { DisplayInCurrencyEnabled, QuotaPerUnit }: OptionValues,
): string => (DisplayInCurrencyEnabled ? `＄${(units / QuotaPerUnit).toFixed(DOLLAR_DIGITS)}` : `${units} 点`)

/** Unix seconds as RFC 3339 text; null stays null. */
export const toIsoTime = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()
