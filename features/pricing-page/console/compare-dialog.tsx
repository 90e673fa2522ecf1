import { Dialog } from '#console/ui/overlays/dialog.tsx'
import type { PricingRow } from '../contract.ts'
import { MAIN_BUCKETS } from './prices.ts'
import { AvailabilityBadge, BillingBadge, PriceText } from './table.tsx'
import { useScreenText } from './text.ts'

interface CompareDialogProps {
  readonly rows: readonly PricingRow[]
  readonly group: string
  readonly ratio: number
  readonly onClose: () => void
}

/** Row headers stay visible while the models scroll sideways. */
const ROW_NAME = 'sticky left-0 bg-surface py-2 pr-3 text-left font-normal whitespace-nowrap text-muted'

/** The prices of a few models side by side. */
export function CompareDialog({ rows, group, ratio, onClose }: CompareDialogProps) {
  const t = useScreenText()
  return (
    <Dialog title={t('compareTitle')} width="large" onClose={onClose}>
      <div className="overflow-x-auto">
        <table className="w-full text-small tabular">
          <thead>
            <tr>
              <td className="sticky left-0 bg-surface" />
              {rows.map(row => (
                <th key={row.model_name} scope="col" className="px-3 py-2 text-right font-mono font-medium">
                  {row.model_name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {MAIN_BUCKETS.map(of => (
              <tr key={of} className="border-t border-line">
                <th scope="row" className={ROW_NAME}>
                  {t(of)} {t('perMillionShort')}
                </th>
                {rows.map(row => (
                  <td key={row.model_name} className="px-3 py-2 text-right">
                    <PriceText row={row} ratio={ratio} of={of} unit="price" />
                  </td>
                ))}
              </tr>
            ))}
            <tr className="border-t border-line">
              <th scope="row" className={ROW_NAME}>
                {t('kind')}
              </th>
              {rows.map(row => (
                <td key={row.model_name} className="px-3 py-2 text-right">
                  <BillingBadge row={row} />
                </td>
              ))}
            </tr>
            <tr className="border-t border-line">
              <th scope="row" className={ROW_NAME}>
                {t('availability')}
              </th>
              {rows.map(row => (
                <td key={row.model_name} className="px-3 py-2 text-right">
                  <AvailabilityBadge row={row} group={group} />
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
    </Dialog>
  )
}
