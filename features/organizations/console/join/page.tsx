import { useQuery } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { plainErrorText } from '#console/app/api/call.ts'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner, EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { invitationQuery, useOrganizationChanges } from '../queries.ts'
import { useOrganizationText } from '../text.ts'
import { useSwitch } from '../use-switch.ts'
import { JoinSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

/** Shows to what an invitation invites, and joins. */
export function JoinPage() {
  const t = useScreenText()
  const { invitation } = useSearchParams(JoinSearch)
  return (
    <>
      <PageHeader title={t('title')} />
      {invitation === '' ? (
        <Banner tone="danger">{t('missing')}</Banner>
      ) : (
        <FoundInvitation key={invitation} invitation={invitation} />
      )}
    </>
  )
}

function FoundInvitation({ invitation }: { readonly invitation: string }) {
  const t = useScreenText()
  const o = useOrganizationText()
  const choose = useSwitch()
  const { data, error } = useQuery({ ...invitationQuery(invitation), staleTime: Number.POSITIVE_INFINITY })
  const { join } = useOrganizationChanges()
  const failed = join.error ?? error
  const accept = () =>
    join.mutate(invitation, {
      onSuccess: joined => {
        void choose(joined)
        toast('success', t('joined', { name: joined.name }))
      },
    })
  if (failed)
    return (
      <Banner tone="danger" isAlert>
        {plainErrorText(failed)}
      </Banner>
    )
  if (!data) return <Skeleton className="h-48 w-full" />
  const { organization: name, role } = data
  return (
    <EmptyState
      icon={Building2}
      title={t('heading', { name })}
      text={t('text', { name, role: o(`role_${role}`) })}
      action={
        <Button variant="primary" isBusy={join.isPending} onClick={accept}>
          {t('join')}
        </Button>
      }
    />
  )
}
