import { CirclePlay, Copy, FlaskConical, Pencil, Power, PowerOff, Tags, Trash2, Zap } from 'lucide-react'
import type { Channel } from '#contract/channels/channels.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { distinctNames } from '#contract/fields.ts'
import { plainErrorText } from '../../app/api/call.ts'
import { useSetSearchParams } from '../../app/router/search-params.ts'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { MenuButton } from '../../ui/buttons/popup-buttons.tsx'
import type { MenuItems } from '../../ui/overlays/menu-popup.tsx'
import { confirm, toast } from '../../ui/overlays/messages.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { isEnabled } from './channel.ts'
import { channelSheet } from './lazy-parts.ts'
import { useChannelMutations, useListMutations, useTagMutations } from './queries.ts'
import type { Row, TagRow } from './rows.ts'
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

/** The buttons of a row: those of a channel, or those of a tag. */
export const rowActions = (row: Row) =>
  row.kind === 'tag' ? <TagActions row={row} /> : <ChannelActions channel={row.channel} />

function ChannelActions({ channel }: { readonly channel: Channel }) {
  const t = useScreenText()
  const more = useKitText()('more')
  const actions = useChannelActions()
  const toggleLabel = isEnabled(channel) ? t('disable') : t('enable')
  const ToggleIcon = isEnabled(channel) ? PowerOff : Power
  const items: MenuItems = [
    [
      { label: t('testModels'), icon: FlaskConical, onSelect: () => actions.openTest(channel) },
      { label: t('copy'), icon: Copy, onSelect: () => void actions.copy(channel) },
    ],
    [{ label: t('delete'), icon: Trash2, isDanger: true, onSelect: () => void actions.remove(channel) }],
  ]
  return (
    <>
      <IconButton
        label={t('test')}
        icon={Zap}
        size="small"
        isBusy={actions.isTesting}
        onClick={() => void actions.test(channel)}
      />
      <IconButton
        label={t('edit')}
        icon={Pencil}
        size="small"
        onPointerEnter={channelSheet.preload}
        onFocus={channelSheet.preload}
        onClick={() => actions.edit(channel)}
      />
      <IconButton
        label={toggleLabel}
        icon={ToggleIcon}
        size="small"
        onClick={() => void actions.toggle(channel)}
      />
      <MenuButton label={`${more} · ${channel.name}`} size="small" items={items} />
    </>
  )
}

function TagActions({ row }: { readonly row: TagRow }) {
  const t = useScreenText()
  const setUrl = useSetSearchParams(ChannelSearch)
  const { enable, disable } = useTagMutations()
  const { tag } = row
  if (tag === '') return null
  const options = { onSuccess: () => toast('success', t('done')) }
  const actions = [
    { label: t('enableAll'), icon: CirclePlay, onSelect: () => enable.mutate(tag, options) },
    { label: t('disableAll'), icon: PowerOff, onSelect: () => disable.mutate(tag, options) },
    { label: t('editTag'), icon: Tags, onSelect: () => setUrl({ tag }, { push: true }) },
  ]
  return actions.map(({ label, icon, onSelect }) => (
    <IconButton key={label} label={`${label} · ${tag}`} icon={icon} size="small" onClick={onSelect} />
  ))
}
