import { Eye, Pencil, Power, PowerOff } from 'lucide-react'
import type { UserAction } from '#contract/user-calls.ts'
import type { User } from '#contract/users.ts'
import { useUser } from '../../app/session.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { MenuButton } from '../../ui/menu-button.tsx'
import type { MenuItems } from '../../ui/menu-items.ts'
import { useText } from '../../ui/text.ts'
import { actionsFor, isGone, mayEdit, STATUS } from './standing.ts'
import { text } from './text.ts'

interface UserRowActionsProps {
  readonly user: User
  readonly onOpen: (user: User) => void
  readonly onAct: (user: User, action: UserAction) => void
  readonly menuOf: (user: User) => MenuItems
}

/** Nothing is offered for the deregistered. */
export function UserRowActions({ user, onOpen, onAct, menuOf }: UserRowActionsProps) {
  const t = useText(text)
  const self = useUser()
  if (isGone(user) || !self) return null
  const { username: name } = user
  const isOn = user.status === STATUS.enabled
  const flip = isOn ? 'disable' : 'enable'
  const canEdit = mayEdit(self, user)
  return (
    <>
      <IconButton
        label={t(canEdit ? 'edit' : 'view', { name })}
        icon={canEdit ? Pencil : Eye}
        size="small"
        onClick={() => onOpen(user)}
      />
      <IconButton
        label={t(isOn ? 'disableNamed' : 'enableNamed', { name })}
        icon={isOn ? PowerOff : Power}
        size="small"
        disabled={!actionsFor(self, user).includes(flip)}
        onClick={() => onAct(user, flip)}
      />
      <MenuButton label={t('more', { name })} size="small" items={menuOf(user)} />
    </>
  )
}
