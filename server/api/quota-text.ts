import type { OptionValues } from '#contract/options/system-options.ts'

const DOLLAR_DIGITS = 6

/** An amount for people, in dollars or units as the settings say. For texts of the log only. */
export const formatQuota = (units: number, { DisplayInCurrencyEnabled, QuotaPerUnit }: OptionValues): string =>
  DisplayInCurrencyEnabled ? `＄${(units / QuotaPerUnit).toFixed(DOLLAR_DIGITS)}` : `${units} 点`
