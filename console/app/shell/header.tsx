import { Menu, Search } from 'lucide-react'
import { buttonClasses } from '../../ui/button-classes.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { openPalette } from '../palette-state.ts'
import { useUser } from '../session.ts'
import { useStatus } from '../status.ts'
import { BalanceChip } from './balance-chip.tsx'
import { Brand } from './brand.tsx'
import { HeaderLinks, SignInLinks } from './header-links.tsx'
import { LanguageButton } from './language-button.tsx'
import { NoticeBell } from './notice-bell.tsx'
import { ThemeButton } from './theme-button.tsx'
import { UserMenu } from './user-menu.tsx'

interface HeaderProps {
  readonly onOpenMenu: () => void
}

export function Header({ onOpenMenu }: HeaderProps) {
  const t = useText(appText)
  const user = useUser()
  const { demo_site_enabled: isDemo } = useStatus()
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center gap-1 border-b border-line bg-surface px-3 sm:h-14 sm:gap-2 sm:px-4">
      <IconButton
        label={t('openMenu')}
        icon={Menu}
        hasTooltip={false}
        className="-ml-1.5 md:hidden"
        onClick={onOpenMenu}
      />
      <Brand />
      {isDemo && (
        <span className="rounded-full bg-warning-bg px-2 text-caption font-medium text-warning">
          {t('demoBadge')}
        </span>
      )}
      <HeaderLinks />
      <div className="ml-auto flex items-center gap-0.5 coarse:gap-2">
        <button
          type="button"
          aria-label={t('searchEverything')}
          onClick={openPalette}
          className={`${buttonClasses('ghost')} text-muted max-lg:hidden`}
        >
          <Search size={16} aria-hidden />
          <span>{t('searchEverything')}</span>
          <kbd className="rounded-[4px] border border-line bg-sunken px-1 font-sans text-caption text-subtle">
            ⌘K
          </kbd>
        </button>
        <IconButton label={t('searchEverything')} icon={Search} className="lg:hidden" onClick={openPalette} />
        <NoticeBell />
        <span className="hidden items-center gap-0.5 sm:flex coarse:gap-2">
          <ThemeButton />
          <LanguageButton />
        </span>
        {user ? (
          <>
            <BalanceChip />
            <UserMenu user={user} />
          </>
        ) : (
          <SignInLinks />
        )}
      </div>
    </header>
  )
}
