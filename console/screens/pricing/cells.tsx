import type { PricingRow } from '#contract/billing/pricing.ts'
import { formatDollars } from '../../app/format/format.tsx'
import { StatusBadge, Tag } from '../../ui/data/badges.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { isAvailable, isPricedByCall, modelPrice } from './prices.ts'
import { useScreenText } from './text.ts'

const RATIO_DIGITS = 4

export const ratioText = (ratio: number): string => String(Number(ratio.toFixed(RATIO_DIGITS)))

interface PriceProps {
  readonly row: PricingRow
  readonly ratio: number
  readonly of: 'input' | 'output' | 'cached'
  readonly unit: 'price' | 'ratio'
}

/** The price per million tokens or per call, or the ratio behind it. */
export function PriceText({ row, ratio, of, unit }: PriceProps) {
  const t = useScreenText()
  const language = useLanguage()
  if (isPricedByCall(row)) {
    if (of !== 'input') return '-'
    const call = unit === 'price' ? modelPrice(row, ratio).call : row.model_price
    return (
      <span className="tabular">
        {formatDollars(call, language)} <span className="text-caption text-muted">{t('perCall')}</span>
      </span>
    )
  }
  if (unit === 'ratio') {
    const figure = { input: row.model_ratio, output: row.completion_ratio, cached: row.cache_ratio }[of]
    return figure === undefined ? '-' : <span className="tabular">{ratioText(figure)}</span>
  }
  const price = modelPrice(row, ratio)[of]
  return price === undefined ? '-' : <span className="tabular">{formatDollars(price, language)}</span>
}

export function BillingBadge({ row }: { readonly row: PricingRow }) {
  const t = useScreenText()
  return (
    <StatusBadge tone={isPricedByCall(row) ? 'info' : 'neutral'} mark="none">
      {t(isPricedByCall(row) ? 'byCall' : 'byTokens')}
    </StatusBadge>
  )
}

interface AvailabilityProps {
  readonly row: PricingRow
  readonly group: string
}

export function AvailabilityBadge({ row, group }: AvailabilityProps) {
  const t = useScreenText()
  const isOffered = isAvailable(row, group)
  return (
    <StatusBadge tone={isOffered ? 'success' : 'neutral'} mark={isOffered ? 'filled' : 'hollow'}>
      {t(isOffered ? 'available' : 'unavailable')}
    </StatusBadge>
  )
}

interface GroupTagsProps {
  readonly groups: readonly string[]
  /** The groups that the user may choose, with their ratios. */
  readonly usable: Readonly<Record<string, number>>
  readonly onChoose: (group: string) => void
}

/** The groups that can call a model. Choosing one shows its prices on the whole page. */
export function GroupTags({ groups, usable, onChoose }: GroupTagsProps) {
  const t = useScreenText()
  return (
    <span className="flex w-max max-w-72 flex-wrap gap-1.5">
      {groups.map(group => (
        <Tag
          key={group}
          hasSwatch
          {...(Object.hasOwn(usable, group) && { onClick: () => onChoose(group), hint: t('chooseGroup') })}
        >
          {group}
        </Tag>
      ))}
    </span>
  )
}
