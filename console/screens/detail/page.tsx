import { ChartColumn } from 'lucide-react'
import { useStatus } from '../../app/api/status.ts'
import { Banner } from '../../ui/feedback/banner.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { DetailFilters } from './filters.tsx'
import { ListsPanel } from './lists-panel.tsx'
import { OnboardingChecklist } from './onboarding.tsx'
import { useScreenText } from './text.ts'
import { Totals } from './totals.tsx'
import { UsagePanel } from './usage-panel.tsx'
import { useDashboard } from './dashboard.ts'

export function DetailPage() {
  const t = useScreenText()
  const { enable_data_export: isOn } = useStatus()
  return (
    <>
      <PageHeader title={t('title')} />
      {isOn ? <Dashboard /> : <EmptyState icon={ChartColumn} title={t('off')} text={t('offHelp')} />}
    </>
  )
}

function Dashboard() {
  const t = useScreenText()
  const dashboard = useDashboard()
  return (
    <>
      <OnboardingChecklist />
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
