import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import type { Statement } from '../contract.ts'
import { useScreenText } from './text.ts'

/** Opening balance, what came and went, and closing balance. */
export function Totals({ statement }: { readonly statement: Statement | undefined }) {
  const t = useScreenText()
  const { money, exact, language } = useMoney()
  const card = (label: string, quota: number | undefined, note?: string) => (
    <StatCard
      label={label}
      value={quota === undefined ? undefined : money(quota)}
      hint={quota === undefined ? undefined : exact(quota)}
      note={note}
    />
  )
  const requests = statement && t('requestCount', { count: formatNumber(statement.requests, language) })
  return (
    <dl className="mb-4 grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-5 print:grid-cols-5 max-lg:[&>:nth-child(5)]:col-span-2 print:[&>:nth-child(5)]:col-span-1">
      {card(t('opening'), statement?.opening)}
      {card(t('credited'), statement?.credited)}
      {card(t('charged'), statement?.charged, requests)}
      {card(t('debited'), statement?.debited)}
      {card(t('closing'), statement?.closing)}
    </dl>
  )
}
