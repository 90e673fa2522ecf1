import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { TimeText } from '#console/app/format/format.tsx'
import { ensureRecentSignIn } from '#console/app/session/reauthentication.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Tag } from '#console/ui/data/badges.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { User } from '#contract/entities/user.ts'
import { type AccessToken, ALL_SCOPES } from '../contract.ts'
import { accessTokensQuery, useAccessTokenChanges } from './queries.ts'
import { useAccessTokenText } from './text.ts'

const dialog = lazyPart(async () => (await import('./create-dialog.tsx')).CreateDialog)

const READ_ALL = '*:read'

/** The access tokens of the reader. */
export function AccessTokens({ self: { id } }: { readonly self: User }) {
  const t = useAccessTokenText()
  const { data, error, isFetching, refetch } = useQuery(accessTokensQuery(id))
  const { remove } = useAccessTokenChanges(id)
  const [isCreating, setCreating] = useState(false)
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-14 w-full" />
  const nameOf = (token: AccessToken) => token.name || t('system')
  const ask = async (token: AccessToken) => {
    const title = t('removeTitle', { name: nameOf(token) })
    if (await confirm({ title, text: t('removeText'), action: t('remove'), isDanger: true }))
      remove.mutate(token.id, { onSuccess: () => toast('success', t('removed')) })
  }
  const create = async () => (await ensureRecentSignIn()) && setCreating(true)
  return (
    <>
      <p className="text-small text-muted">{t('help')}</p>
      {data.items.length > 0 && (
        <ul className="divide-y divide-line rounded-card border border-line">
          {data.items.map(token => (
            <TokenItem
              key={token.id}
              token={token}
              name={nameOf(token)}
              isBusy={remove.isPending}
              onRemove={() => void ask(token)}
            />
          ))}
        </ul>
      )}
      <Button icon={Plus} className="justify-self-start" onClick={() => void create()}>
        {t('create')}
      </Button>
      <Suspense fallback={null}>
        {isCreating && (
          <dialog.Part userId={id} resources={data.resources} onClose={() => setCreating(false)} />
        )}
      </Suspense>
    </>
  )
}

interface TokenItemProps {
  readonly token: AccessToken
  readonly name: string
  readonly isBusy: boolean
  readonly onRemove: () => void
}

function TokenItem({ token, name, isBusy, onRemove }: TokenItemProps) {
  const t = useAccessTokenText()
  const { scopes, ips, expires_time: expiry, used_time: used, address } = token
  const scopeText = (scope: string) =>
    scope === ALL_SCOPES ? t('everything') : scope === READ_ALL ? t('readEverything') : scope
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <div className="grid min-w-0 flex-1 gap-1">
        <span className="truncate font-medium">{name}</span>
        <span className="flex flex-wrap gap-1">
          {scopes.map(scope => (
            <Tag key={scope} isMono={scope !== ALL_SCOPES && scope !== READ_ALL}>
              {scopeText(scope)}
            </Tag>
          ))}
        </span>
        <span className="text-small text-muted">
          {expiry === 0 ? t('never') : t('until')} {expiry > 0 && <TimeText unixSeconds={expiry} />} ·{' '}
          {used === 0 ? t('neverUsed') : t('used')} {used > 0 && <TimeText unixSeconds={used} />}{' '}
          {address !== '' && t('from', { address })}
          {ips !== '' && ` · ${t('ips')}: ${ips.split('\n').join(', ')}`}
        </span>
      </div>
      <Button
        size="small"
        variant="danger-text"
        aria-label={t('removeNamed', { name })}
        isBusy={isBusy}
        onClick={onRemove}
      >
        {t('remove')}
      </Button>
    </li>
  )
}
