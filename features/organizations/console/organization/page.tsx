import { useQuery } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { Suspense } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { filledSections } from '#console/app/filled-slots.ts'
import { useMoney } from '#console/app/format/format.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import { Banner, EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { Organization, OrganizationSummary } from '../../contract/organizations.ts'
import { useOrganization } from '../acting.ts'
import { organizationQuery, ownOrganizationsQuery } from '../queries.ts'
import { useOrganizationText } from '../text.ts'
import { useSwitch } from '../use-switch.ts'
import { Members } from './members.tsx'
import { Projects } from './projects.tsx'
import { OrganizationSettings } from './settings.tsx'
import { useScreenText } from './text.ts'

const sections = filledSections('organization')

/** The organisation for which the reader acts, or the choice of one. */
export function OrganizationPage() {
  const acting = useOrganization()
  return acting ? <ActingPage key={acting.id} /> : <ChoicePage />
}

function ActingPage() {
  const t = useScreenText()
  const { data, error, isFetching, refetch } = useQuery(organizationQuery)
  const acting = useOrganization()
  const mayManage = data?.role === 'admin' || data?.role === 'owner'
  return (
    <>
      <PageHeader title={data?.name ?? acting?.name ?? ''} />
      {error && !data && <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton className="h-40 w-full" />}
      {data && (
        <div className="grid grid-cols-1 gap-8">
          <Totals organization={data} />
          {!mayManage && <Banner tone="info">{t('memberView')}</Banner>}
          {mayManage && <Members organization={data} />}
          {mayManage && <Projects />}
          {mayManage && <FeatureSections id={data.id} />}
          <OrganizationSettings organization={data} mayManage={mayManage} />
        </div>
      )}
    </>
  )
}

function Totals({ organization }: { readonly organization: Organization }) {
  const t = useScreenText()
  const o = useOrganizationText()
  const { money } = useMoney()
  const { quota, used_quota, group, role } = organization
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {quota !== null && <StatCard label={t('balance')} value={money(quota)} />}
      {used_quota !== null && <StatCard label={t('used')} value={money(used_quota)} />}
      <StatCard label={t('group')} value={group} />
      <StatCard label={t('yourRole')} value={o(`role_${role}`)} />
    </dl>
  )
}

/** What features add, for those who manage the organisation. */
function FeatureSections({ id }: Pick<Organization, 'id'>) {
  const language = useLanguage()
  return sections.map(({ id: anchor, title, Part }) => (
    <section key={anchor} aria-label={title[language]} className="grid grid-cols-1 gap-4">
      <h2 className="text-section font-semibold">{title[language]}</h2>
      <Suspense fallback={<Skeleton className="h-16 w-full" />}>
        <Part id={id} />
      </Suspense>
    </section>
  ))
}

/** For those who come by an address and act for no organisation yet. */
function ChoicePage() {
  const o = useOrganizationText()
  const { data, error, isFetching, refetch } = useQuery(ownOrganizationsQuery)
  return (
    <>
      <PageHeader title={o('choose')} />
      {error && !data && <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton className="h-40 w-full" />}
      {data && data.items.length === 0 && (
        <EmptyState icon={Building2} title={o('none')} text={o('noneText')} />
      )}
      {data && data.items.length > 0 && (
        <ul className="divide-y divide-line rounded-card border border-line bg-surface">
          {data.items.map(organization => (
            <Choice key={organization.id} organization={organization} />
          ))}
        </ul>
      )}
    </>
  )
}

function Choice({ organization }: { readonly organization: OrganizationSummary }) {
  const o = useOrganizationText()
  const choose = useSwitch()
  const { name, role, is_enabled } = organization
  return (
    <li className="flex items-center gap-3 px-4 py-3">
      <span className="min-w-0 flex-1 truncate font-medium">
        {is_enabled ? o('choiceWithRole', { name, role: o(`role_${role}`) }) : o('disabled', { name })}
      </span>
      <Button
        size="small"
        disabled={!is_enabled}
        aria-label={o('actForNamed', { name })}
        onClick={() => void choose(organization)}
      >
        {o('actFor')}
      </Button>
    </li>
  )
}
