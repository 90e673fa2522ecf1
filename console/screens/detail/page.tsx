import { ChartColumn } from 'lucide-react'
import { ROLE } from '#contract/enums.ts'
import { useStatus } from '../../app/api/status.ts'
import { OperatorSteps } from '../../app/onboarding/operator-steps.tsx'
import { useUser } from '../../app/session/session.ts'
import { Banner, EmptyState } from '../../ui/feedback/feedback.tsx'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { useDashboard } from './dashboard.ts'
import { DashboardFilters } from './filters.tsx'
import { ListsPanel } from './lists-panel.tsx'
import { OnboardingChecklist } from './onboarding.tsx'
import { useScreenText } from './text.ts'
import { Totals } from './totals.tsx'
import { UsagePanel } from './usage-panel.tsx'

export function DashboardPage() {
  const t = useScreenText()
  const { enable_data_export: isEnabled } = useStatus()
  return (
    <>
      <PageHeader title={t('title')} />
      {isEnabled ? (
        <DashboardContent />
      ) : (
        <EmptyState icon={ChartColumn} title={t('disabled')} text={t('disabledText')} />
      )}
    </>
  )
}

function DashboardContent() {
  const t = useScreenText()
  const dashboard = useDashboard()
  const isRoot = useUser()?.role === ROLE.root
  return (
    <>
      {isRoot ? <OperatorSteps /> : <OnboardingChecklist />}
      <DashboardFilters dashboard={dashboard} />
      {dashboard.period.isCut && (
        <div className="mb-4">
          <Banner tone="info">{t('periodCut')}</Banner>
        </div>
      )}
      <Totals dashboard={dashboard} />
      <UsagePanel dashboard={dashboard} />
      <ListsPanel dashboard={dashboard} />
    </>
  )
}
