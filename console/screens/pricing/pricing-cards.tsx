import { useText } from '../../ui/text.ts'
import { KindBadge, OfferBadge, PriceText } from './price-cells.tsx'
import { isByCall } from './prices.ts'
import { providerOf } from './provider-of.ts'
import { text } from './text.ts'
import type { Pricing } from './use-pricing.ts'

/** The same models as cards, for looking around rather than comparing. */
export function PricingCards({ pricing }: { readonly pricing: Pricing }) {
  const t = useText(text)
  const { shown, group, url } = pricing
  const ratio = pricing.ratioOf(group)
  const { unit } = url.search
  return (
    <ul aria-label={t('title')} className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
      {shown.map(row => (
        <li key={row.model_name}>
          <button
            type="button"
            aria-label={t('details', { name: row.model_name })}
            onClick={() => url.set({ model: row.model_name }, { push: true })}
            className="grid h-full w-full content-start gap-3 rounded-card border border-line bg-surface p-4 text-left hover:border-line-strong hover:bg-hover"
          >
            <span className="flex min-w-0 items-start justify-between gap-2">
              <span className="min-w-0">
                <span className="block truncate font-mono text-small font-medium">{row.model_name}</span>
                <span className="text-caption text-muted">
                  {providerOf(row.model_name) || t('otherProvider')}
                </span>
              </span>
              <KindBadge row={row} />
            </span>
            <span className="grid grid-cols-2 gap-2 text-small">
              <span>
                <span className="block text-caption text-muted">{t('input')}</span>
                <PriceText row={row} ratio={ratio} of="input" unit={unit} />
              </span>
              {!isByCall(row) && (
                <span>
                  <span className="block text-caption text-muted">{t('output')}</span>
                  <PriceText row={row} ratio={ratio} of="output" unit={unit} />
                </span>
              )}
            </span>
            <span>
              <OfferBadge row={row} group={group} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
