import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, ShieldCheck } from 'lucide-react'
import { Suspense, useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber } from '#console/app/format/format.tsx'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { EmptyList, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { OpenIdProvider } from '../../contract/openid.ts'
import { providersQuery, testProvider } from './queries.ts'
import { NEW, OpenIdSearch } from './search-params.ts'
import { useOpenIdText } from './text.ts'

const sheet = lazyPart(async () => (await import('./sheet.tsx')).OpenIdSheet)

/** The identity providers that members sign in with. */
export function OpenIdPage() {
  const t = useOpenIdText()
  const navigate = useNavigate()
  const { edit } = OpenIdSearch.parse(useSearch({ strict: false }))
  const list = useQuery(providersQuery)
  const open = (slug: string) => void navigate({ to: '.', search: slug === '' ? {} : { edit: slug } })
  const edited = list.data?.find(({ slug }) => slug === edit)
  return (
    <>
      <PageHeader title={t('title')}>
        {list.data && list.data.length > 0 && (
          <Button variant="primary" icon={Plus} onClick={() => open(NEW)}>
            {t('add')}
          </Button>
        )}
      </PageHeader>
      <p className="mb-4 text-muted">{t('intro')}</p>
      {list.error && (
        <LoadError error={list.error} isBusy={list.isFetching} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <Skeleton className="h-24 w-full" />}
      {list.data?.length === 0 && (
        <EmptyList
          icon={ShieldCheck}
          title={t('empty')}
          text={t('emptyText')}
          add={t('add')}
          onAdd={() => open(NEW)}
        />
      )}
      {list.data && list.data.length > 0 && (
        <ul className="divide-y divide-line rounded-card border border-line">
          {list.data.map(provider => (
            <ProviderRow key={provider.slug} provider={provider} onEdit={() => open(provider.slug)} />
          ))}
        </ul>
      )}
      <Suspense fallback={null}>
        {(edited || edit === NEW) && (
          <sheet.Part key={edit} {...(edited && { provider: edited })} onClose={() => open('')} />
        )}
      </Suspense>
    </>
  )
}

interface ProviderRowProps {
  readonly provider: OpenIdProvider
  readonly onEdit: () => void
}

function ProviderRow({
  provider: { slug, name, issuer, is_enabled, users, callback },
  onEdit,
}: ProviderRowProps) {
  const t = useOpenIdText()
  const language = useLanguage()
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    try {
      await testProvider(slug)
    } catch (error) {
      toast('error', errorText(error))
      setBusy(false)
    }
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-0 flex-[1_1_20rem] gap-0.5">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          <StatusBadge tone={is_enabled ? 'success' : 'neutral'}>{t(is_enabled ? 'on' : 'off')}</StatusBadge>
          <span className="text-small font-normal text-muted tabular">
            {t('users', { count: formatNumber(users, language) })}
          </span>
        </span>
        <span className="truncate text-small text-muted">{issuer}</span>
        <span className="flex min-w-0 items-center gap-1 text-small">
          <code className="min-w-0 truncate font-mono">{callback}</code>
          <CopyButton text={callback} label={t('copyNamed', { name: t('callback') })} />
        </span>
      </div>
      <div className="flex gap-2">
        <Button aria-label={t('testNamed', { name })} isBusy={isBusy} onClick={() => void test()}>
          {t('test')}
        </Button>
        <Button aria-label={t('editNamed', { name })} onClick={onEdit}>
          {t('edit')}
        </Button>
      </div>
    </li>
  )
}
