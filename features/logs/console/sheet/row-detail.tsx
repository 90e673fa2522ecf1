import type { Row } from '../entry.ts'
import { BillSection } from './bill-section.tsx'
import { OverviewSection } from './overview-section.tsx'
import { RoutingSection } from './routing-section.tsx'
import { useSheetText } from './text.ts'

/** The expanded row of the table: sections of the sheet, side by side. */
export function RowDetail({ row }: { readonly row: Row }) {
  const t = useSheetText()
  const { attempts = [] } = row.detail
  return (
    <div className="sticky left-0 grid max-w-[calc(100vw-7rem)] gap-x-10 gap-y-6 p-4 whitespace-normal lg:max-w-[calc(100vw-18rem)] lg:grid-cols-2">
      <section aria-label={t('overview')} className="grid content-start gap-3">
        <OverviewSection row={row} />
      </section>
      <div className="grid content-start gap-6">
        <section aria-label={t('cost')} className="grid gap-3">
          <BillSection row={row} />
        </section>
        {attempts.length > 0 && (
          <section aria-label={t('routing')}>
            <RoutingSection detail={row.detail} />
          </section>
        )}
      </div>
    </div>
  )
}
