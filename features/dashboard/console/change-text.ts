import type { Language } from '#console/ui/text/text.ts'
import type { useScreenText } from './text.ts'

const PERCENT = 100
/** Beyond it a percentage says less than a factor. */
const PERCENT_MAX = 900

/** `↑ 12.5% vs. the previous period`; empty where there is nothing to compare. */
export function changeText(
  current: number,
  previous: number,
  t: ReturnType<typeof useScreenText>,
  language: Language,
): string {
  if (previous === 0) return current === 0 ? '' : t('noPreviousUsage')
  const percent = ((current - previous) / Math.abs(previous)) * PERCENT
  const number = (value: number) =>
    new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(Math.abs(value))
  const size = percent > PERCENT_MAX ? `${number(current / previous)}×` : `${number(percent)}%`
  return t('change', { change: `${percent > 0 ? '↑ ' : percent < 0 ? '↓ ' : ''}${size}` })
}
