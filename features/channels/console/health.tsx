import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '#console/app/format/format.tsx'
import { classes } from '#console/ui/class-names.ts'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { shareText } from '#console/ui/data/share.ts'
import type { ChannelHealth } from '#features/channel-health/contract.ts'
import type { Channel } from '../contract/channels.ts'
import { responseTone, secondsText } from './channel.ts'
import { healthQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const HEALTHY_SHARE = 0.99
const DEGRADED_SHARE = 0.9

const toneOf = ({ attempts, failed }: Pick<ChannelHealth, 'attempts' | 'failed'>) => {
  const share = 1 - failed / attempts
  return share >= HEALTHY_SHARE ? 'success' : share >= DEGRADED_SHARE ? 'warning' : 'danger'
}

const TEXT_COLOURS = { success: 'text-success', warning: 'text-warning', danger: 'text-danger' } as const
/** Heights tell the same as the colours. */
const BARS = { success: 'h-full bg-success', warning: 'h-2/3 bg-warning', danger: 'h-1/3 bg-danger' } as const

export const useChannelHealth = (id: number): ChannelHealth | undefined => useQuery(healthQuery).data?.get(id)

export function ResponseCell({ ms, testedAt }: { readonly ms: number; readonly testedAt: number }) {
  const t = useScreenText()
  const label = ms === 0 ? t('notTested') : t('seconds', { seconds: secondsText(ms) })
  return (
    <span title={testedAt > 0 ? t('testedAt', { time: formatDateTime(testedAt) }) : undefined}>
      <StatusBadge tone={responseTone(ms)} mark="none">
        {label}
      </StatusBadge>
    </span>
  )
}

/** The calls of the last 24 hours, hour by hour, with their success rate; the last error while calls fail. */
export function HealthCell({ channel: { id, response_time: ms, test_time } }: { readonly channel: Channel }) {
  const t = useScreenText()
  const health = useChannelHealth(id)
  const lastTest = <ResponseCell ms={ms} testedAt={test_time} />
  if (!health) return lastTest
  const { attempts, failed, hours, state, last_error } = health
  const hint = t('healthOf', { succeeded: attempts - failed, total: attempts })
  const isBad = state === 'failing' || state === 'degraded'
  return (
    <span
      className="grid max-w-44 justify-items-start gap-0.5 text-caption"
      title={[hint, last_error].filter(Boolean).join(' · ')}
    >
      <span className="flex items-center gap-1">
        <span aria-hidden className="flex h-2.5 w-16 items-end gap-px">
          {hours.map(hour => (
            <span
              key={hour.start}
              className={classes('flex-1', hour.attempts ? BARS[toneOf(hour)] : 'h-full bg-neutral-bg')}
            />
          ))}
        </span>
        <span className={classes('tabular', TEXT_COLOURS[toneOf(health)])}>
          {shareText(attempts - failed, attempts)}
        </span>
      </span>
      {isBad ? (
        <span className="max-w-full truncate font-mono text-danger">{last_error}</span>
      ) : (
        ms > 0 && lastTest
      )}
    </span>
  )
}
