import type { Channel } from '#contract/channels.ts'
import { TimeText } from '../../app/time-text.tsx'
import { PopoverButton } from '../../ui/popover-button.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useText } from '../../ui/text.ts'
import { type DisabledReason, disabledReason, statusFace } from './channel-state.ts'
import { text } from './text.ts'

/** The state in a word. Where the gateway disabled a channel, why and when: on hover, on focus and in a panel. */
export function StatusCell({ channel }: { readonly channel: Channel }) {
  const t = useText(text)
  const { word, tone, mark } = statusFace(channel.status)
  const label = t(word, { status: channel.status })
  const why = disabledReason(channel)
  const badge = (
    <StatusBadge tone={tone} mark={mark}>
      {label}
    </StatusBadge>
  )
  if (!why) return badge
  return (
    <PopoverButton
      label={`${label}: ${why.reason || t('noReason')}`}
      hasTooltip
      className="rounded-full touch-target"
      face={badge}
    >
      {() => <WhyDisabled why={why} />}
    </PopoverButton>
  )
}

function WhyDisabled({ why }: { readonly why: DisabledReason }) {
  const t = useText(text)
  return (
    <div className="grid max-w-80 gap-2 p-3 text-small">
      <p className="font-medium">{t('disabledByGateway')}</p>
      <p className="break-words">{why.reason || t('noReason')}</p>
      {why.atSeconds > 0 && (
        <p className="text-muted">
          <TimeText unixSeconds={why.atSeconds} />
        </p>
      )}
    </div>
  )
}
