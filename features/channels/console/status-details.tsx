import { TimeText } from '#console/app/format/format.tsx'
import type { Channel } from '../contract/channels.ts'
import { type ChannelRemark, channelRemark } from './channel.ts'
import { useDialogText } from './dialog-text.ts'

const REMARK_TEXTS = {
  disabled: 'disabledByGateway',
  doubted: 'usageDoubted',
  belowCost: 'belowCostHelp',
  unusable: 'unusableHelp',
  incomplete: 'incompleteHelp',
} as const

/** The gateway's actions on a channel or its models, and its warnings, with reason and time. */
export function StatusDetails({ channel }: { readonly channel: Channel }) {
  const remark = channelRemark(channel)
  return (
    <div className="grid max-w-80 gap-4 p-3 text-small">
      {remark && <RemarkDetails remark={remark} />}
      {channel.stopped_models.length > 0 && <StoppedDetails stopped={channel.stopped_models} />}
    </div>
  )
}

function RemarkDetails({ remark }: { readonly remark: ChannelRemark }) {
  const t = useDialogText()
  return (
    <div className="grid gap-2">
      <p className="font-medium">{t(REMARK_TEXTS[remark.kind])}</p>
      <p className="break-words">{remark.reason || t('noReason')}</p>
      {remark.atSeconds > 0 && (
        <p className="text-muted">
          <TimeText unixSeconds={remark.atSeconds} />
        </p>
      )}
    </div>
  )
}

function StoppedDetails({ stopped }: { readonly stopped: Channel['stopped_models'] }) {
  const t = useDialogText()
  return (
    <div className="grid gap-2">
      <p className="font-medium">{t('stoppedHelp')}</p>
      <ul className="grid max-h-72 gap-2 overflow-y-auto">
        {stopped.map(({ model, reason, stopped_at }) => (
          <li key={model} className="break-words">
            {reason}{' '}
            <span className="text-muted">
              <TimeText unixSeconds={stopped_at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
