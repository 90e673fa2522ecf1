import { plainErrorText } from '#console/app/api/call.ts'
import { useSetSearchParams } from '#console/app/router/search-params.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { distinctNames } from '#contract/fields.ts'
import type { Channel } from '../contract/channels.ts'
import { isEnabled } from './channel.ts'
import { useChannelMutations, useListMutations } from './queries.ts'
import { ChannelSearch, useSheetNavigation } from './search-params.ts'
import { useScreenText } from './text.ts'

const noop = (): void => undefined

/** Waits for a mutation. Failures are ignored because the mutation has shown them in a toast. */
const settle = (write: Promise<unknown>): Promise<void> => write.then(noop, noop)

/** The actions on one channel, with their confirmations and toasts. */
export function useChannelActions() {
  const t = useScreenText()
  const undo = useKitText()('undo')
  const { change, test } = useChannelMutations()
  const { create, remove } = useListMutations()
  const setUrl = useSetSearchParams(ChannelSearch)
  const navigation = useSheetNavigation()

  const setStatus = async (channel: Channel, status: 1 | 2) => {
    const before = isEnabled(channel) ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled
    await change.mutateAsync({ id: channel.id, status })
    const revert = () => change.mutate({ id: channel.id, status: before })
    toast('success', t('done'), { label: undo, run: revert })
  }

  return {
    edit: ({ id }: Channel) => navigation.open(id),
    openTest: ({ id }: Channel) => setUrl({ test: String(id) }, { push: true }),
    isTesting: test.isPending,
    toggle: (channel: Channel) =>
      settle(setStatus(channel, isEnabled(channel) ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled)),
    async test({ id, name }: Channel) {
      await settle(
        test.mutateAsync({ id, model: '' }).then(seconds => {
          toast('success', t('tested', { name, seconds: seconds.toFixed(2) }))
        }),
      )
    },
    async remove(channel: Channel, onDone: () => void = noop) {
      const isSure = await confirm({
        title: t('deleteTitle', { name: channel.name }),
        text: t('deleteText', { count: distinctNames(channel.models).length }),
        action: t('delete'),
        isDanger: true,
      })
      if (!isSure) return
      const notify = () => {
        toast('success', t('done'))
        onDone()
      }
      await settle(remove.mutateAsync([channel.id]).then(notify))
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
        ([created]) => {
          toast('success', t('copied'))
          if (created) navigation.open(created.id)
        },
        (error: unknown) => toast('error', t('copyFailed', { reason: plainErrorText(error) })),
      )
    },
  }
}
