import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { LanguageButton } from './language-button.tsx'
import { NavList } from './nav-list.tsx'
import { SitePages } from './site-pages.tsx'
import { ThemeButton } from './theme-button.tsx'

/** The pages where the header has no room for them, from the left. */
export function NavDrawer({ onClose }: { readonly onClose: () => void }) {
  const t = useText(appText)
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
