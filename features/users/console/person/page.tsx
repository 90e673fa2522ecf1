import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowLeft, FileClock, Pencil, UserX } from 'lucide-react'
import { CallError } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { StatCard } from '#console/ui/data/facts.tsx'
import { EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import type { User } from '#contract/entities/user.ts'
import { Bindings } from '../bindings.tsx'
import { userQuery } from '../queries.ts'
import { RoleCell, StatusCell } from '../table.tsx'
import { AccessTokensOf, FactorsOf, IdentitiesOf, SessionsOf } from './access.tsx'
import { HistoryOf } from './history.tsx'
import { Section } from './section.tsx'
import { usePersonText } from './text.ts'
import { MoreLink, StatementOf, TokensOf, UsageOf } from './usage.tsx'

const REFUSED: ReadonlySet<string> = new Set(['user.unknown', 'user.no_permission'])

/** Everything about one user on one page. */
export function PersonPage({ id }: { readonly id: number }) {
  const t = usePersonText()
  const { data: user, error, isFetching, refetch } = useQuery(userQuery(id))
  if (user) return <Person user={user} />
  if (error instanceof CallError && REFUSED.has(error.code ?? ''))
    return (
      <EmptyState icon={UserX} title={t('unknownTitle')} text={t('unknownText')} action={<BackButton />} />
    )
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  return (
    <>
      <PageHeader title={t('title', { name: `#${id}` })} />
      <Skeleton className="h-24 w-full" />
    </>
  )
}

function BackButton() {
  const t = usePersonText()
  const navigate = useNavigate()
  return (
    <Button icon={ArrowLeft} onClick={() => void navigate({ to: '/user' })}>
      {t('back')}
    </Button>
  )
}

function Person({ user }: { readonly user: User }) {
  const t = usePersonText()
  const navigate = useNavigate()
  const isRoot = hasRole(useUser(), 'root')
  const { id, username } = user
  return (
    <>
      <PageHeader title={t('title', { name: username })}>
        <BackButton />
        <Button icon={FileClock} onClick={() => void navigate({ to: '/log', search: { user: username } })}>
          {t('log')}
        </Button>
        <Button variant="primary" icon={Pencil} onClick={() => void navigate({ to: `/user/edit/${id}` })}>
          {t('edit')}
        </Button>
      </PageHeader>
      <Facts user={user} />
      <div className="grid gap-4 lg:grid-cols-2">
        <Section
          title={t('tokens')}
          aside={
            <MoreLink screen="/token" search={{ all: '1', q: String(id) }}>
              {t('allTokens')}
            </MoreLink>
          }
        >
          <TokensOf user={user} />
        </Section>
        <Section
          title={t('usage')}
          aside={
            <MoreLink screen="/detail" search={{ tab: 'analytics', user: username, range: '30d' }}>
              {t('openAnalytics')}
            </MoreLink>
          }
        >
          <UsageOf user={user} />
        </Section>
        <Section
          title={t('statement')}
          aside={
            <MoreLink screen="/statement" search={{ user: String(id), range: '30d' }}>
              {t('openStatement')}
            </MoreLink>
          }
        >
          <StatementOf user={user} />
        </Section>
        <Section title={t('identities')}>
          <Bindings user={user} />
          <IdentitiesOf user={user} />
        </Section>
        <Section title={t('sessions')}>
          <SessionsOf user={user} />
        </Section>
        <Section title={t('accessTokens')}>
          <AccessTokensOf user={user} />
        </Section>
        {isRoot && <RootSections user={user} />}
      </div>
    </>
  )
}

/** The audit log and the factors of others are the super administrator's. */
function RootSections({ user }: { readonly user: User }) {
  const t = usePersonText()
  const id = String(user.id)
  return (
    <>
      <Section
        title={t('historyOf')}
        aside={
          <MoreLink screen="/audit" search={{ kind: 'user', target: id, range: '30d' }}>
            {t('openHistory')}
          </MoreLink>
        }
      >
        <HistoryOf user={user} whose="of" />
      </Section>
      <Section
        title={t('historyBy')}
        aside={
          <MoreLink screen="/audit" search={{ actor: id, range: '30d' }}>
            {t('openHistory')}
          </MoreLink>
        }
      >
        <HistoryOf user={user} whose="by" />
      </Section>
      <Section title={t('factors')}>
        <FactorsOf user={user} />
      </Section>
    </>
  )
}

function Facts({ user }: { readonly user: User }) {
  const t = usePersonText()
  const { money, exact, language } = useMoney()
  return (
    <>
      <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted">
        <span>#{user.id}</span>
        <StatusCell user={user} />
        <RoleCell user={user} />
        <span>{user.group}</span>
        {user.display_name !== '' && <span>{user.display_name}</span>}
      </p>
      <dl className="mb-4 grid grid-cols-2 gap-2 *:first:col-span-2 sm:grid-cols-3 sm:gap-3 sm:*:first:col-span-1">
        <StatCard label={t('remaining')} value={money(user.quota)} hint={exact(user.quota)} />
        <StatCard label={t('spent')} value={money(user.used_quota)} hint={exact(user.used_quota)} />
        <StatCard label={t('requests')} value={formatNumber(user.request_count, language)} />
      </dl>
    </>
  )
}
