import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import type { Plan, PlanWindow } from '../contract/plans.ts'
import { usePlanText } from './text.ts'

const NAMES_SHOWN = 3

type ShownWindow = Pick<PlanWindow, 'period' | 'hours' | 'unit' | 'amount'>

/** Returns functions that put parts of plans into words. */
export function usePlanWords() {
  const t = usePlanText()
  const { money, language } = useMoney()
  const period = ({ period_unit: unit, period_count: count }: Plan): string =>
    count === 1 ? t(`onePeriod_${unit}`) : t(`period_${unit}`, { count })
  const amount = (unit: PlanWindow['unit'], units: number): string =>
    unit === 'quota' ? money(units) : t(`count_${unit}`, { count: formatNumber(units, language) })
  const windowName = ({ period: window, hours }: Pick<ShownWindow, 'period' | 'hours'>): string =>
    t(`window_${window}`, { count: hours })
  return {
    period,
    amount,
    price: (plan: Plan): string => (plan.price === 0 ? t('free') : money(plan.price)),
    perPeriod: (plan: Plan): string => t('perPeriod', { period: period(plan) }),
    windowName,
    /** What may be used in a window: `$5.00 in 5 hours`. */
    allowance: ({ unit, amount: units, ...window }: ShownWindow): string =>
      t('allowance', { window: windowName(window), amount: amount(unit, units) }),
    names: (names: readonly string[]): string => {
      const shown = names.slice(0, NAMES_SHOWN).join(', ')
      return names.length > NAMES_SHOWN ? t('more', { names: shown, count: names.length }) : shown
    },
  }
}
