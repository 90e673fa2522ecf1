import { Pencil, Power, PowerOff } from 'lucide-react'
import type { Token } from '#contract/tokens.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { MenuButton } from '../../ui/menu-button.tsx'
import type { MenuItems } from '../../ui/menu-items.ts'
import { useText } from '../../ui/text.ts'
import { ChatButton } from './chat-button.tsx'
import { text } from './text.ts'
import { isEnabled } from './token-state.ts'

interface TokenRowActionsProps {
  readonly token: Token
  readonly onEdit: (token: Token) => void
  readonly onToggle: (token: Token) => void
  readonly menuOf: (token: Token) => MenuItems
}

export function TokenRowActions({ token, onEdit, onToggle, menuOf }: TokenRowActionsProps) {
  const t = useText(text)
  const { name } = token
  const isOn = isEnabled(token)
  return (
    <>
      <ChatButton token={token} />
      <IconButton label={t('edit', { name })} icon={Pencil} size="small" onClick={() => onEdit(token)} />
      <IconButton
        label={t(isOn ? 'disableNamed' : 'enableNamed', { name })}
        icon={isOn ? PowerOff : Power}
        size="small"
        onClick={() => onToggle(token)}
      />
      <MenuButton label={t('more', { name })} size="small" items={menuOf(token)} />
    </>
  )
}
