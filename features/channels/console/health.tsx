import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { classes } from '#console/ui/class-names.ts'
import { shareText } from '#console/ui/data/share.ts'
import type { ChannelHealth } from '#features/channel-health/contract.ts'
import { healthQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const HEALTHY_SHARE = 0.99
const DEGRADED_SHARE = 0.9

const toneOf = ({ attempts, failed }: Pick<ChannelHealth, 'attempts' | 'failed'>) => {
  const share = 1 - failed / attempts
  return share >= HEALTHY_SHARE ? 'success' : share >= DEGRADED_SHARE ? 'warning' : 'danger'
}

const TEXT_COLOURS = { success: 'text-success', warning: 'text-warning', danger: 'text-danger' } as const
const BAR_COLOURS = { success: 'bg-success', warning: 'bg-warning', danger: 'bg-danger' } as const

export const useChannelHealth = (id: number): ChannelHealth | undefined => useQuery(healthQuery).data?.get(id)

interface HealthCellProps {
  readonly id: number
  readonly isTested: boolean
  /** The last test: shown alone where there were no calls, and below while they succeed. */
  readonly children: ReactNode
}

/** The calls of the last 24 hours, hour by hour, with their success rate; the last error while calls fail. */
export function HealthCell({ id, isTested, children }: HealthCellProps) {
  const t = useScreenText()
  const health = useChannelHealth(id)
  if (!health) return children
  const { attempts, failed, hours, state, last_error } = health
  const hint = t('healthOf', { succeeded: attempts - failed, total: attempts })
  const isBad = state === 'failing' || state === 'degraded'
  return (
    <span
      className="grid max-w-44 justify-items-start gap-0.5 text-caption"
      title={[hint, last_error].filter(Boolean).join(' · ')}
    >
      <span className="flex items-center gap-1">
        <span aria-hidden className="flex h-2.5 w-16 gap-px">
          {hours.map(hour => (
            <span
              key={hour.start}
              className={classes('flex-1', hour.attempts ? BAR_COLOURS[toneOf(hour)] : 'bg-neutral-bg')}
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
        isTested && children
      )}
    </span>
  )
}
