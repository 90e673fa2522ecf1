import { ChartColumn } from 'lucide-react'
import { Suspense } from 'react'
import { isStatusKnown, useStatus } from '#console/app/api/status.ts'
import { OperatorSteps } from '#console/app/onboarding/operator-steps.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { Banner, EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { useWindowName } from '#console/ui/text/window-name.ts'
import { ROLE } from '#contract/enums.ts'
import { AttentionPanel } from './attention/attention-panel.tsx'
import { useDashboard } from './dashboard.ts'
import { DashboardFilters } from './filters.tsx'
import { ListsPanel } from './lists-panel.tsx'
import { OperatorTotals } from './operator-totals.tsx'
import { panels } from './panels.ts'
import { DashboardSearch, OVERVIEW } from './search-params.ts'
import { useScreenText } from './text.ts'
import { TopPanels } from './top-panels.tsx'
import { Totals } from './totals.tsx'
import { UsagePanel } from './usage-panel.tsx'

export function DashboardPage() {
  const t = useScreenText()
  const status = useStatus()
  return (
    <>
      <PageHeader title={t('title')} />
      {status.enable_data_export ? (
        <DashboardViews />
      ) : !isStatusKnown(status) ? (
        <Skeleton className="h-60 w-full" />
      ) : (
        <EmptyState icon={ChartColumn} title={t('disabled')} text={t('disabledText')} />
      )}
    </>
  )
}

/** For accounts without requests. */
const onboarding = lazyPart(async () => (await import('./onboarding.tsx')).OnboardingChecklist)

const parts = panels.map(panel => ({ ...panel, ...lazyPart(panel.load) }))

/** The overview of the account, and the panels that features add. */
function DashboardViews() {
  const t = useScreenText()
  const language = useLanguage()
  const user = useUser()
  const { tab } = useSearchParams(DashboardSearch)
  const set = useSetSearchParams(DashboardSearch)
  const offered = parts.filter(({ role }) => hasRole(user, role))
  const open = offered.find(part => part.tab === tab)
  useWindowName(open?.title[language])
  return (
    <>
      <div className="mb-4 flex">
        <SegmentedChoice
          label={t('view')}
          isLabelHidden
          value={open?.tab ?? OVERVIEW}
          onChange={chosen => set({ tab: chosen })}
          options={[
            { value: OVERVIEW, label: t('overview') },
            ...offered.map(part => ({ value: part.tab, label: part.title[language] })),
          ]}
        />
      </div>
      {open ? (
        <Suspense key={open.tab} fallback={<Skeleton className="h-94 w-full" />}>
          <open.Part />
        </Suspense>
      ) : (
        <DashboardContent />
      )}
    </>
  )
}

function DashboardContent() {
  const t = useScreenText()
  const dashboard = useDashboard()
  const isRoot = useUser()?.role === ROLE.root
  const hasNoUsage = dashboard.usage.data?.length === 0
  return (
    <>
      {dashboard.isAdmin && <AttentionPanel />}
      {isRoot ? (
        hasNoUsage && <OperatorSteps />
      ) : (
        <Suspense fallback={null}>
          <onboarding.Part />
        </Suspense>
      )}
      <DashboardFilters dashboard={dashboard} />
      {dashboard.period.isCut && (
        <div className="mb-4">
          <Banner tone="info">{t('periodCut')}</Banner>
        </div>
      )}
      {dashboard.isAdmin ? <OperatorTotals dashboard={dashboard} /> : <Totals dashboard={dashboard} />}
      <UsagePanel dashboard={dashboard} />
      {dashboard.isAdmin && <TopPanels dashboard={dashboard} />}
      <ListsPanel dashboard={dashboard} />
    </>
  )
}
