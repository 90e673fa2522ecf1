import { type BadgeMark, StatusBadge, type Tone } from '#console/ui/data/badges.tsx'
import type { Subscription } from '../contract/subscriptions.ts'
import { usePlanText } from './text.ts'

const BADGES: Readonly<Record<Subscription['state'], readonly [Tone, BadgeMark]>> = {
  trial: ['info', 'filled'],
  active: ['success', 'filled'],
  past_due: ['danger', 'triangle'],
  paused: ['warning', 'clock'],
  cancelled: ['neutral', 'hollow'],
  ended: ['neutral', 'cross'],
}

/** The state of a subscription. */
export function StateBadge({ state }: Pick<Subscription, 'state'>) {
  const t = usePlanText()
  const [tone, mark] = BADGES[state]
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(`state_${state}`)}
    </StatusBadge>
  )
}
