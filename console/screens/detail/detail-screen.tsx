import { ChartColumn } from 'lucide-react'
import { useStatus } from '../../app/status.ts'
import { Banner } from '../../ui/banner.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useText } from '../../ui/text.ts'
import { DetailFilters } from './detail-filters.tsx'
import { ListsPanel } from './lists-panel.tsx'
import { Newcomer } from './newcomer.tsx'
import { text } from './text.ts'
import { Totals } from './totals.tsx'
import { UsagePanel } from './usage-panel.tsx'
import { useDashboard } from './use-dashboard.ts'

export function DetailScreen() {
  const t = useText(text)
  const { enable_data_export: isOn } = useStatus()
  return (
    <>
      <PageHeader title={t('title')} />
      {isOn ? <Dashboard /> : <EmptyState icon={ChartColumn} title={t('off')} text={t('offHelp')} />}
    </>
  )
}

function Dashboard() {
  const t = useText(text)
  const dashboard = useDashboard()
  return (
    <>
      <Newcomer />
      <DetailFilters dashboard={dashboard} />
      {dashboard.period.isCut && (
        <div className="mb-4">
          <Banner tone="info">{t('cut')}</Banner>
        </div>
      )}
      <Totals dashboard={dashboard} />
      <UsagePanel dashboard={dashboard} />
      <ListsPanel dashboard={dashboard} />
    </>
  )
}
