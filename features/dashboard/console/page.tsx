import { ChartColumn } from 'lucide-react'
import { Suspense } from 'react'
import { useStatus } from '#console/app/api/status.ts'
import { OperatorSteps } from '#console/app/onboarding/operator-steps.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { Banner, EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { ROLE } from '#contract/enums.ts'
import { useAnalyticsText } from '#features/analytics/console/text.ts'
import { useDashboard } from './dashboard.ts'
import { DashboardFilters } from './filters.tsx'
import { ListsPanel } from './lists-panel.tsx'
import { OnboardingChecklist } from './onboarding.tsx'
import { DashboardSearch } from './search-params.ts'
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
        <DashboardViews />
      ) : (
        <EmptyState icon={ChartColumn} title={t('disabled')} text={t('disabledText')} />
      )}
    </>
  )
}

const reconciliation = lazyPart(
  async () => (await import('#features/reconciliation/console/panel.tsx')).ReconciliationPanel,
)
const analytics = lazyPart(
  async () => (await import('#features/analytics/console/analytics-panel.tsx')).AnalyticsPanel,
)

/** The overview of the account, analytics of requests by every dimension, and for administrators bills of providers. */
function DashboardViews() {
  const t = useAnalyticsText()
  const isAdmin = hasRole(useUser(), 'admin')
  const search = useSearchParams(DashboardSearch)
  const tab = search.tab === 'reconciliation' && !isAdmin ? 'overview' : search.tab
  const set = useSetSearchParams(DashboardSearch)
  return (
    <>
      <div className="mb-4 flex">
        <SegmentedChoice
          label={t('view')}
          isLabelHidden
          value={tab}
          onChange={chosen => set({ tab: chosen })}
          options={[
            { value: 'overview', label: t('overview') },
            { value: 'analytics', label: t('analytics') },
            ...(isAdmin ? [{ value: 'reconciliation' as const, label: t('reconciliation') }] : []),
          ]}
        />
      </div>
      {tab === 'overview' ? (
        <DashboardContent />
      ) : (
        <Suspense fallback={<Skeleton className="h-94 w-full" />}>
          {tab === 'analytics' ? <analytics.Part /> : <reconciliation.Part />}
        </Suspense>
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
