import { CirclePlay, Copy, FlaskConical, Pencil, Power, PowerOff, Tags, Trash2, Zap } from 'lucide-react'
import { useSetSearchParams } from '#console/app/router/search-params.ts'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { MenuButton } from '#console/ui/buttons/popup-buttons.tsx'
import type { MenuItems } from '#console/ui/overlays/menu-popup.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import type { Channel } from '../contract/channels.ts'
import { isEnabled } from './channel.ts'
import { channelSheet } from './lazy-parts.ts'
import { useTagMutations } from './queries.ts'
import type { Row, TagRow } from './rows.ts'
import { ChannelSearch } from './search-params.ts'
import { useScreenText } from './text.ts'
import { useChannelActions } from './use-channel-actions.ts'

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
