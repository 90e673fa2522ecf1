import { Dialog } from '@base-ui/react/dialog'
import { Link } from '@tanstack/react-router'
import { House, Info, Tags, X } from 'lucide-react'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { useAppText } from '../app-text.ts'
import { hasScreen } from '../router/screens.ts'
import { LanguageButton, ThemeButton } from './header.tsx'
import { NAV_ROW, NavList } from './sidebar.tsx'

/** Navigation for small screens, sliding in from the left. */
export function NavDrawer({ onClose }: { readonly onClose: () => void }) {
  const t = useAppText()
  return (
    <Dialog.Root open onOpenChange={open => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-40 flex w-[min(18rem,85vw)] flex-col bg-surface shadow-sheet outline-none">
          <div className="flex h-13 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
            <Dialog.Title className="font-semibold">{t('mainNavigation')}</Dialog.Title>
            <IconButton label={t('closeMenu')} icon={X} hasTooltip={false} onClick={onClose} />
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-3">
            <NavList onNavigate={onClose} />
            <SitePages onNavigate={onClose} />
          </div>
          <div className="flex justify-end gap-2 border-t border-line p-2 pb-[max(8px,env(safe-area-inset-bottom))]">
            <ThemeButton />
            <LanguageButton />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const PAGES = [
  { to: '/', label: 'home', icon: House },
  { to: '/pricing', label: 'pricing', icon: Tags },
  { to: '/about', label: 'about', icon: Info },
] as const

/** The public pages, which wide screens show in the header. */
export function SitePages({ onNavigate }: { readonly onNavigate: () => void }) {
  const t = useAppText()
  return (
    <nav aria-label={t('siteNavigation')} className="mt-4 border-t border-line pt-4">
      <ul className="grid grid-cols-1 gap-0.5" onClickCapture={onNavigate}>
        {PAGES.filter(page => hasScreen(page.to)).map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: true, includeSearch: false }} className={NAV_ROW}>
              <Icon size={18} strokeWidth={1.75} aria-hidden className="shrink-0" />
              {t(label)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
