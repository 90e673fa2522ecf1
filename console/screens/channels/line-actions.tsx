import { CirclePlay, Copy, FlaskConical, Pencil, Power, PowerOff, Tags, Trash2, Zap } from 'lucide-react'
import type { Channel } from '#contract/channels.ts'
import { useSetUrlState } from '../../app/url-state.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { MenuButton } from '../../ui/menu-button.tsx'
import type { MenuItems } from '../../ui/menu-items.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { isEnabled } from './channel-state.ts'
import { channelSheet } from './lazy-parts.ts'
import { useTagWrites } from './queries.ts'
import { ChannelSearch } from './search.ts'
import type { Line, TagLine } from './tag-lines.ts'
import { text } from './text.ts'
import { useChannelActions } from './use-channel-actions.ts'

/** What can be done to a line of the list. */
export const lineActions = (line: Line) =>
  line.kind === 'tag' ? <TagActions line={line} /> : <ChannelActions channel={line.channel} />

function ChannelActions({ channel }: { readonly channel: Channel }) {
  const t = useText(text)
  const more = useText(kitText)('more')
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

function TagActions({ line }: { readonly line: TagLine }) {
  const t = useText(text)
  const setUrl = useSetUrlState(ChannelSearch)
  const { enable, disable } = useTagWrites()
  const { tag } = line
  if (tag === '') return null
  const said = { onSuccess: () => toast('success', t('done')) }
  const actions = [
    { label: t('enableAll'), icon: CirclePlay, onSelect: () => enable.mutate(tag, said) },
    { label: t('disableAll'), icon: PowerOff, onSelect: () => disable.mutate(tag, said) },
    { label: t('editTag'), icon: Tags, onSelect: () => setUrl({ tag }, { push: true }) },
  ]
  return actions.map(({ label, icon, onSelect }) => (
    <IconButton key={label} label={`${label} · ${tag}`} icon={icon} size="small" onClick={onSelect} />
  ))
}
