import { useQuery } from '@tanstack/react-query'
import { formatPrice } from '#console/app/format/format.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import { priceChanges, readPriceTables } from './model-prices.ts'
import { defaultRatiosQuery } from './queries.ts'
import { usePriceSettingsText } from './text.ts'

const SHOWN_MAX = 40

/** What unsaved ratios mean for prices, in dollars. */
export function PriceReview() {
  const t = usePriceSettingsText()
  const language = useLanguage()
  const form = useOptionForm()
  const { data: defaults } = useQuery(defaultRatiosQuery)
  const [before, after] = [form.storedValue, form.currentValue].map(readPriceTables)
  const changes = before && after && defaults ? priceChanges(before, after, defaults) : []
  if (changes.length === 0) return
  const words = (dollars: number | undefined) =>
    dollars === undefined ? t('noPrice') : formatPrice(dollars, language)
  return (
    <section className="mb-3 rounded-card border border-line px-3 py-2">
      <h3 className="font-medium">{t('changedPrices')}</h3>
      <ul className="grid gap-0.5 text-small tabular">
        {changes.slice(0, SHOWN_MAX).map(({ model, bucket, before: from, after: to }) => (
          <li key={`${model} ${bucket}`} className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono text-caption break-all">{model}</code>
            <span>{t(bucket === 'call' ? 'pricePerCall' : bucket)}</span>
            <del className="text-muted">{words(from)}</del>
            <span aria-hidden>→</span>
            <ins className="font-medium no-underline">{words(to)}</ins>
          </li>
        ))}
      </ul>
      {changes.length > SHOWN_MAX && (
        <p className="text-small text-muted">{t('moreChanges', { count: changes.length - SHOWN_MAX })}</p>
      )}
    </section>
  )
}
