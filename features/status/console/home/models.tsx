import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatPrice } from '#console/app/format/format.tsx'
import { useUser } from '#console/app/session/session.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import type { PricingRow } from '#features/pricing-page/contract.ts'
import { homePricesQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const SHOWN = 8
/** A ratio of 1 is $2 per million tokens. */
const DOLLARS_PER_RATIO = 2
const BY_CALL = 1

/** Those with enough requests of the last day for an availability come first. */
const byUse = (a: PricingRow, b: PricingRow): number =>
  Number(b.availability !== undefined) - Number(a.availability !== undefined)

/** Some of the models that can be called now, with the prices of the reader's group. */
export function HomeModels() {
  const t = useScreenText()
  const group = useUser()?.group || 'default'
  const { data } = useQuery(homePricesQuery)
  const rows = data?.rows.filter(row => row.enable_groups.includes(group)).toSorted(byUse) ?? []
  if (!data || rows.length === 0) return null
  const ratio = data.ratios[group] ?? 1
  const more = rows.length - SHOWN
  return (
    <section aria-label={t('models')}>
      <div className="mb-3 flex items-baseline justify-between gap-4">
        <h2 className="text-section font-semibold">{t('models')}</h2>
        <Link to="/pricing" className="text-small text-accent hover:underline">
          {more > 0 ? t('allModels', { count: rows.length }) : t('pricing')}
        </Link>
      </div>
      <ul className="grid gap-2 sm:grid-cols-2">
        {rows.slice(0, SHOWN).map(row => (
          <li key={row.model_name}>
            <Link
              to="/pricing"
              search={{ model: row.model_name }}
              className="flex items-baseline gap-3 rounded-card border border-line bg-surface px-4 py-2.5 text-small hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate font-mono">{row.model_name}</span>
              <Price row={row} ratio={ratio} />
            </Link>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-caption text-subtle">{t('perMillion')}</p>
    </section>
  )
}

interface PriceProps {
  readonly row: PricingRow
  /** Of the group. */
  readonly ratio: number
}

function Price({ row, ratio }: PriceProps) {
  const t = useScreenText()
  const language = useLanguage()
  const input = row.model_ratio * DOLLARS_PER_RATIO * ratio
  const price = (dollars: number) => formatPrice(dollars, language)
  return (
    <span className="shrink-0 text-muted tabular">
      {row.quota_type === BY_CALL
        ? t('perCall', { price: price(row.model_price * ratio) })
        : `${price(input)} / ${price(input * row.completion_ratio)}`}
    </span>
  )
}
