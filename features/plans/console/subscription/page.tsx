import { useQuery } from '@tanstack/react-query'
import { Package } from 'lucide-react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import type { Plan } from '../../contract/plans.ts'
import type { Subscription } from '../../contract/subscriptions.ts'
import { offeredQuery, ownSubscriptionsQuery } from '../queries.ts'
import { PlanCard } from './plan-card.tsx'
import { SubscriptionCard } from './subscription-card.tsx'
import { useScreenText } from './text.ts'

/** What the reader has bought, and what is on offer. */
export function SubscriptionPage() {
  const t = useScreenText()
  const own = useQuery(ownSubscriptionsQuery)
  const offered = useQuery(offeredQuery)
  const running = own.data?.filter(({ state }) => state !== 'ended')
  const failed = [own, offered].find(({ error, data }) => error && !data)
  return (
    <div className="mx-auto max-w-300">
      <PageHeader title={t('title')} />
      {failed?.error && <LoadError error={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && !(running && offered.data) && <Loading />}
      {running && offered.data && <Lists running={running} offered={offered.data} />}
    </div>
  )
}

const Loading = () => (
  <div className="grid gap-4 lg:grid-cols-3">
    <Skeleton className="h-56 w-full" />
    <Skeleton className="h-56 w-full" />
    <Skeleton className="h-56 w-full" />
  </div>
)

interface ListsProps {
  readonly running: readonly Subscription[]
  readonly offered: readonly Plan[]
}

function Lists({ running, offered }: ListsProps) {
  const t = useScreenText()
  if (running.length === 0 && offered.length === 0)
    return <EmptyState icon={Package} title={t('noneTitle')} text={t('noneText')} />
  // With one subscription it is clear which of them a plan would replace.
  const [only] = running.length === 1 ? running : []
  return (
    <div className="grid gap-8">
      {running.length > 0 && (
        <section aria-label={t('own')} className="grid gap-3">
          <h2 className="text-section font-semibold">{t('own')}</h2>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            {running.map(subscription => (
              <SubscriptionCard key={subscription.id} subscription={subscription} />
            ))}
          </div>
        </section>
      )}
      {offered.length > 0 && (
        <section aria-label={t('offered')} className="grid gap-3">
          <h2 className="text-section font-semibold">{t('offered')}</h2>
          <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {offered.map(plan => (
              <PlanCard
                key={plan.id}
                plan={plan}
                isOwn={running.some(({ plan_id }) => plan_id === plan.id)}
                replaced={only}
              />
            ))}
          </div>
        </section>
      )}
    </div>
  )
}
