import type { OptionValues } from '#contract/options/system-options.ts'
import type { BothLanguages } from '../core/language.ts'

const DOLLAR_DIGITS = 6

/** Formats an amount for log texts, in dollars or in quota units as the options say. */
export function formatQuota(
  units: number,
  { DisplayInCurrencyEnabled, QuotaPerUnit }: OptionValues,
): BothLanguages {
  if (!DisplayInCurrencyEnabled) return { zh: `${units} 点`, en: `${units} units` }
  const dollars = (units / QuotaPerUnit).toFixed(DOLLAR_DIGITS)
  return { zh: `＄${dollars}`, en: `$${dollars}` }
}

/** Unix seconds as RFC 3339 text; null stays null. */
export const toIsoTime = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()
