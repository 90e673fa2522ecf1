import { useNavigate } from '@tanstack/react-router'
import { Eye, EyeOff, Keyboard, LogOut, Settings, Wallet } from 'lucide-react'
import { type MenuAction, MenuButton } from '../../ui/buttons/popup-buttons.tsx'
import { useAppText } from '../app-text.ts'
import { PrivateText, toggleMask, useIsMasked } from '../preferences/privacy.tsx'
import { hasScreen } from '../router/screens.ts'
import { useSignOut } from '../session/self.ts'
import { hasRole, type SessionUser } from '../session/session.ts'
import { openShortcutSheet } from './shortcuts.ts'

const roleKey = (user: SessionUser) =>
  hasRole(user, 'root') ? 'roleRoot' : hasRole(user, 'admin') ? 'roleAdmin' : 'roleUser'

export function UserMenu({ user }: { readonly user: SessionUser }) {
  const t = useAppText()
  const navigate = useNavigate()
  const signOut = useSignOut()
  const isMasked = useIsMasked()
  const name = user.display_name || user.username
  const pages: MenuAction[] = [
    { path: '/setting', label: t('personal'), icon: Settings },
    { path: '/topup', label: t('wallet'), icon: Wallet },
  ]
    .filter(page => hasScreen(page.path))
    .map(({ path, label, icon }) => ({ label, icon, onSelect: () => void navigate({ to: path }) }))
  const tools: MenuAction[] = [
    { label: t('shortcuts'), icon: Keyboard, shortcut: '?', onSelect: openShortcutSheet },
    {
      label: t(isMasked ? 'maskOff' : 'maskOn'),
      icon: isMasked ? Eye : EyeOff,
      shortcut: 'm',
      onSelect: toggleMask,
    },
  ]
  const leave: MenuAction[] = [{ label: t('logout'), icon: LogOut, onSelect: () => void signOut() }]
  return (
    <MenuButton
      label={t('userMenu')}
      items={[pages, tools, leave].filter(group => group.length > 0)}
      className="rounded-full px-0.5!"
      head={
        <div className="px-2 py-1.5">
          <p className="truncate font-medium">
            <PrivateText>{name}</PrivateText>
          </p>
          <p className="truncate text-caption text-muted">
            <PrivateText>{user.username}</PrivateText> · {t(roleKey(user))}
          </p>
        </div>
      }
    >
      <span className="flex size-8 items-center justify-center rounded-full bg-selected font-semibold text-accent uppercase">
        {[...name][0]}
      </span>
    </MenuButton>
  )
}
