import { useQuery } from '@tanstack/react-query'
import { LoadError } from '#console/app/api/load-error.tsx'
import { TimeText } from '#console/app/format/format.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { User } from '#contract/entities/user.ts'
import type { Session } from '../contract.ts'
import { readDeviceName } from './device-name.ts'
import { sessionsQuery, useEndSession } from './queries.ts'
import { useSessionsText } from './text.ts'

/** The sessions of the reader, each of which can be ended. */
export function Sessions({ self: { id } }: { readonly self: User }) {
  const t = useSessionsText()
  const { data: sessions, error, isFetching, refetch } = useQuery(sessionsQuery(id))
  const end = useEndSession(id)
  const endThese = async (session: string | undefined) => {
    const question = { title: t('endTitle'), text: t('endText'), action: t('endOthers'), isDanger: true }
    if (session === undefined && !(await confirm(question))) return
    end.mutate(session, { onSuccess: () => toast('success', t('ended')) })
  }
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!sessions) return <Skeleton className="h-14 w-full" />
  const others = sessions.filter(session => !session.is_current)
  return (
    <>
      <p className="text-small text-muted">{t('help')}</p>
      {sessions.length > 0 && (
        <ul className="divide-y divide-line rounded-card border border-line">
          {sessions.map(session => (
            <SessionRow
              key={session.id}
              session={session}
              isBusy={end.isPending}
              onEnd={() => void endThese(session.id)}
            />
          ))}
        </ul>
      )}
      {others.length > 1 && (
        <Button
          className="justify-self-start"
          isBusy={end.isPending}
          onClick={() => void endThese(undefined)}
        >
          {t('endOthers')}
        </Button>
      )}
    </>
  )
}

interface SessionRowProps {
  readonly session: Session
  readonly isBusy: boolean
  readonly onEnd: () => void
}

function SessionRow({ session, isBusy, onEnd }: SessionRowProps) {
  const t = useSessionsText()
  const { device, address, used_time, is_current } = session
  const name = readDeviceName(device)
  const title = name ? t('device', { ...name }) : device || t('unknownDevice')
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="truncate font-medium" title={device}>
          {title}
        </span>
        <span className="truncate text-small text-muted">
          <TimeText unixSeconds={used_time} /> {address !== '' && t('from', { address })}
        </span>
      </div>
      {is_current ? (
        <StatusBadge tone="success">{t('current')}</StatusBadge>
      ) : (
        <Button
          size="small"
          variant="danger-text"
          aria-label={t('endNamed', { name: title })}
          isBusy={isBusy}
          onClick={onEnd}
        >
          {t('end')}
        </Button>
      )}
    </li>
  )
}
