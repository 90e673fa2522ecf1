import { queryOptions, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { call } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { useMoney } from '#console/app/format/format.tsx'
import { PrivateText } from '#console/app/preferences/privacy.tsx'
import { selfQuery } from '#console/app/session/self.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { getInvitationCode } from '#features/account/contract.ts'
import { useInvitationText } from './text.ts'

const dialog = lazyPart(async () => (await import('./transfer-dialog.tsx')).TransferDialog)

/** The invitation link and its earnings. */
export function Invitation() {
  const t = useInvitationText()
  const status = useStatus()
  const { money, quotaPerUnit } = useMoney()
  const { data: self } = useQuery(selfQuery)
  const { data: code, error, refetch } = useQuery(invitationQuery)
  const [isMoving, setMoving] = useState(false)
  const link = code === undefined ? undefined : `${serverAddress(status)}/register?aff=${code}`
  const pending = self?.aff_quota ?? 0
  const facts = [
    { label: t('pending'), value: self && money(self.aff_quota) },
    { label: t('earned'), value: self && money(self.aff_history_quota) },
    { label: t('invited'), value: self && String(self.aff_count) },
  ]
  if (error && code === undefined) return <LoadError error={error} onRetry={() => void refetch()} />
  return (
    <>
      <p className="mb-3 text-small text-muted">{t('inviteHelp')}</p>
      <div className="flex items-center gap-1 rounded-control border border-line bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 truncate font-mono text-small">
          {link === undefined ? <Skeleton className="h-4 w-full" /> : <PrivateText>{link}</PrivateText>}
        </code>
        <CopyButton text={link ?? ''} label={t('copyLink')} />
      </div>
      <dl className="mt-4 grid grid-cols-3 gap-3">
        {facts.map(({ label, value }) => (
          <div key={label} className="min-w-0">
            <dt className="truncate text-caption text-muted">{label}</dt>
            <dd className="truncate font-semibold tabular">{value ?? <Skeleton className="h-5 w-14" />}</dd>
          </div>
        ))}
      </dl>
      {pending >= quotaPerUnit && (
        <Button
          className="mt-4"
          size="small"
          onPointerEnter={dialog.preload}
          onFocus={dialog.preload}
          onClick={() => setMoving(true)}
        >
          {t('transfer')}
        </Button>
      )}
      <Suspense fallback={null}>
        {isMoving && <dialog.Part maxQuota={pending} onClose={() => setMoving(false)} />}
      </Suspense>
    </>
  )
}

/** The invitation on the account page. */
export const InvitationSection = () => (
  <div>
    <Invitation />
  </div>
)

const invitationQuery = queryOptions({
  queryKey: ['invitation'],
  queryFn: ({ signal }) => call(getInvitationCode, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})
