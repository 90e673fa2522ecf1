import { useQuery } from '@tanstack/react-query'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber, TimeText } from '#console/app/format/format.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { shareText } from '#console/ui/data/share.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { ChannelHealth } from '../contract.ts'
import { HealthStrip } from './health-strip.tsx'
import { firstTokenQuery, healthQuery } from './queries.ts'
import { useHealthText } from './text.ts'

const SECOND_MS = 1000

/** How the calls of a channel ended in the last 24 hours. */
export function HealthSection({ id }: { readonly id: number }) {
  const t = useHealthText()
  const { data: health, error, isFetching, refetch } = useQuery(healthQuery(id))
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (health === undefined) return <Skeleton className="h-40 w-full" />
  if (health === null) return <p className="text-small text-muted">{t('noCalls')}</p>
  return (
    <div className="grid gap-3">
      <HealthStrip hours={health.hours} />
      <Figures health={health} />
    </div>
  )
}

function Figures({ health: { id, attempts, failed, last_error, last_error_at } }: { health: ChannelHealth }) {
  const t = useHealthText()
  const language = useLanguage()
  const { data: firstTokenMs } = useQuery(firstTokenQuery(id))
  const calls = t('callsOf', {
    attempts: formatNumber(attempts, language),
    failed: formatNumber(failed, language),
    share: shareText(failed, attempts),
  })
  const seconds = firstTokenMs && formatNumber(Number((firstTokenMs / SECOND_MS).toPrecision(2)), language)
  return (
    <KeyValues
      items={[
        { label: t('calls'), value: calls },
        { label: t('firstToken'), value: seconds ? t('seconds', { seconds }) : '-' },
        {
          label: t('lastError'),
          value:
            last_error === '' ? (
              '-'
            ) : (
              <>
                <span className="font-mono">{last_error}</span> · <TimeText unixSeconds={last_error_at} />
              </>
            ),
        },
      ]}
    />
  )
}
