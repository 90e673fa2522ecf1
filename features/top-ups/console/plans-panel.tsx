import { useQuery } from '@tanstack/react-query'
import { useMoney } from '#console/app/format/format.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { Panel } from './panel.tsx'
import { ownPlansQuery, plansOnOfferQuery } from './queries.ts'
import { useScreenText } from './text.ts'

/** Leads to the plans. Nothing where none are on offer and the reader has none. */
export function PlansPanel() {
  const t = useScreenText()
  const { money } = useMoney()
  const { data: offered } = useQuery(plansOnOfferQuery)
  const { data: own } = useQuery(ownPlansQuery)
  const names = own?.filter(({ state }) => state !== 'ended').map(({ plan }) => plan) ?? []
  const [cheapest] = offered ?? []
  if (!cheapest && names.length === 0) return null
  const summary =
    names.length > 0 ? names.join(', ') : cheapest && t('plansFrom', { price: money(cheapest.price) })
  return (
    <Panel title={t('plans')} aside={<ScreenLink screen="/subscription">{t('openPlans')}</ScreenLink>}>
      <p className="text-muted">{summary}</p>
    </Panel>
  )
}
