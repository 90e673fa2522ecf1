import { useLanguage } from '../ui/text.ts'
import { useMasked } from './mask.ts'
import { formatExactMoney, formatMoney, type MoneyRules, maskedMoney } from './money.ts'
import { useStatus } from './status.ts'

export interface MoneyFormat extends MoneyRules {
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
