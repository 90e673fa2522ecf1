import type { Channel } from '#contract/channels.ts'
import { plainErrorText } from '../../app/call-error.ts'
import { useSetUrlState } from '../../app/url-state.ts'
import { confirm } from '../../ui/confirm.ts'
import { kitText } from '../../ui/kit-text.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { CHANNEL_STATUS, isEnabled } from './channel-state.ts'
import { countModels } from './models.ts'
import { usePlace } from './place.ts'
import { useChannelWrites, useListWrites } from './queries.ts'
import { ChannelSearch } from './search.ts'
import { text } from './text.ts'

const noResult = (): void => undefined

/** The failure was said in a toast already. */
const settled = (write: Promise<unknown>): Promise<void> => write.then(noResult, noResult)

/** What can be done to one channel, with its questions and its messages. */
export function useChannelActions() {
  const t = useText(text)
  const undo = useText(kitText)('undo')
  const { change, test } = useChannelWrites()
  const { create, remove } = useListWrites()
  const setUrl = useSetUrlState(ChannelSearch)
  const place = usePlace()

  const setStatus = async (channel: Channel, status: 1 | 2) => {
    const before = isEnabled(channel) ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled
    await change.mutateAsync({ id: channel.id, status })
    const takeBack = () => change.mutate({ id: channel.id, status: before })
    toast('success', t('done'), { label: undo, run: takeBack })
  }

  return {
    edit: ({ id }: Channel) => place.edit(id),
    openTest: ({ id }: Channel) => setUrl({ test: String(id) }, { push: true }),
    isTesting: test.isPending,
    toggle: (channel: Channel) =>
      settled(setStatus(channel, isEnabled(channel) ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled)),
    async test({ id, name }: Channel) {
      await settled(
        test.mutateAsync({ id, model: '' }).then(seconds => {
          toast('success', t('tested', { name, seconds: seconds.toFixed(2) }))
        }),
      )
    },
    async remove(channel: Channel, onDone: () => void = noResult) {
      const isSure = await confirm({
        title: t('deleteTitle', { name: channel.name }),
        text: t('deleteText', { count: countModels(channel.models) }),
        action: t('delete'),
        isDanger: true,
      })
      if (!isSure) return
      const said = () => {
        toast('success', t('done'))
        onDone()
      }
      await settled(remove.mutateAsync([channel.id]).then(said))
    },
    async copy(channel: Channel) {
      const isSure = await confirm({
        title: t('copyTitle', { name: channel.name }),
        text: t('copyText'),
        action: t('copy'),
      })
      if (!isSure) return
      const draft = { copy_from: channel.id, name: `${channel.name}${t('copySuffix')}` }
      await create.mutateAsync(draft).then(
        ([made]) => {
          toast('success', t('copied'))
          if (made) place.edit(made.id)
        },
        (error: unknown) => toast('error', t('copyFailed', { reason: plainErrorText(error) })),
      )
    },
  }
}
