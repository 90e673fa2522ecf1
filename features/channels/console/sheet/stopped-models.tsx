import { TimeText } from '#console/app/format/format.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import type { Channel } from '../../contract/channels.ts'
import { useChannelMutations } from '../queries.ts'
import { useSheetText } from './text.ts'

/** The models that the gateway took out of the channel, each with its reason and a button that allows it again. */
export function StoppedModels({ channel }: { readonly channel: Channel }) {
  const t = useSheetText()
  const { allowModels } = useChannelMutations()
  const allow = (model: string) =>
    allowModels.mutate(
      { id: channel.id, models: [model] },
      { onSuccess: () => toast('success', t('modelAllowed', { model })) },
    )
  if (channel.stopped_models.length === 0) return null
  return (
    <Banner tone="warning">
      <p className="font-medium">{t('stoppedModels')}</p>
      <ul className="mt-1 grid gap-2">
        {channel.stopped_models.map(({ model, reason, stopped_at }) => (
          <li key={model} className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <span className="min-w-0 flex-[1_1_14rem] text-small break-words">
              {reason} · <TimeText unixSeconds={stopped_at} />
            </span>
            <Button
              size="small"
              aria-label={t('allowModel', { model })}
              isBusy={allowModels.isPending && allowModels.variables.models.includes(model)}
              onClick={() => allow(model)}
            >
              {t('allowAgain')}
            </Button>
          </li>
        ))}
      </ul>
    </Banner>
  )
}
