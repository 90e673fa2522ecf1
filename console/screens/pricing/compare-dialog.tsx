import type { PricingRow } from '#contract/pricing.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useText } from '../../ui/text.ts'
import { KindBadge, OfferBadge, PriceText } from './price-cells.tsx'
import { text } from './text.ts'

interface CompareDialogProps {
  readonly rows: readonly PricingRow[]
  readonly group: string
  readonly ratio: number
  readonly onClose: () => void
}

/** A few models side by side. */
export function CompareDialog({ rows, group, ratio, onClose }: CompareDialogProps) {
  const t = useText(text)
  return (
    <Dialog title={t('compareTitle')} width="large" onClose={onClose}>
      <div className="overflow-x-auto">
        <table className="w-full text-small tabular">
          <thead>
            <tr>
              <td />
              {rows.map(row => (
                <th key={row.model_name} scope="col" className="px-3 py-2 text-right font-mono font-medium">
                  {row.model_name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(['input', 'output', 'cached'] as const).map(of => (
              <tr key={of} className="border-t border-line">
                <th scope="row" className="py-2 text-left font-normal text-muted">
                  {t(of)} {t('perMillion')}
                </th>
                {rows.map(row => (
                  <td key={row.model_name} className="px-3 py-2 text-right">
                    <PriceText row={row} ratio={ratio} of={of} unit="price" />
                  </td>
                ))}
              </tr>
            ))}
            <tr className="border-t border-line">
              <th scope="row" className="py-2 text-left font-normal text-muted">
                {t('kind')}
              </th>
              {rows.map(row => (
                <td key={row.model_name} className="px-3 py-2 text-right">
                  <KindBadge row={row} />
                </td>
              ))}
            </tr>
            <tr className="border-t border-line">
              <th scope="row" className="py-2 text-left font-normal text-muted">
                {t('availability')}
              </th>
              {rows.map(row => (
                <td key={row.model_name} className="px-3 py-2 text-right">
                  <OfferBadge row={row} group={group} />
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
    </Dialog>
  )
}
