import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Menu, Search, Wallet } from 'lucide-react'
import { IconButton } from '../../ui/buttons/button.tsx'
import { buttonClasses } from '../../ui/class-names.ts'
import { useStatus } from '../api/status.ts'
import { useAppText } from '../app-text.ts'
import { useMoney } from '../money/money.tsx'
import { hasScreen } from '../router/screens.ts'
import { selfQuery } from '../session/self.ts'
import { useUser } from '../session/session.ts'
import { NoticeBell } from './notice-bell.tsx'
import { LanguageButton, ThemeButton } from './preference-buttons.tsx'
import { openPalette } from './shortcuts.ts'
import { UserMenu } from './user-menu.tsx'

interface HeaderProps {
  readonly onOpenMenu: () => void
}

export function Header({ onOpenMenu }: HeaderProps) {
  const t = useAppText()
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

const OWN_LOGO = '/logo.svg'

/** Logo and name of the installation, linked to the home page. */
function Brand() {
  const { system_name: name, logo } = useStatus()
  return (
    <Link to="/" className="flex min-w-0 items-center gap-2 rounded-control px-1 font-semibold touch-target">
      <img
        src={logo || OWN_LOGO}
        alt=""
        width={26}
        height={26}
        className="size-6.5 shrink-0 rounded-control object-contain"
      />
      <span className="truncate text-section">{name}</span>
    </Link>
  )
}

const LINKS = [
  { to: '/', label: 'home' },
  { to: '/token', label: 'console' },
  { to: '/pricing', label: 'pricing' },
  { to: '/about', label: 'about' },
] as const

/** Links to the public pages that exist. */
function HeaderLinks() {
  const t = useAppText()
  return (
    <nav aria-label={t('siteNavigation')} className="ml-3 hidden md:flex">
      {LINKS.filter(link => hasScreen(link.to)).map(link => (
        <Link
          key={link.to}
          to={link.to}
          activeOptions={{ exact: true }}
          className="rounded-control px-3 py-2 text-muted hover:text-fg aria-[current=page]:font-medium aria-[current=page]:text-fg"
        >
          {t(link.label)}
        </Link>
      ))}
    </nav>
  )
}

function SignInLinks() {
  const t = useAppText()
  const { register_enabled: isOpen } = useStatus()
  return (
    <>
      <Link to="/login" className={buttonClasses('ghost')}>
        {t('login')}
      </Link>
      {isOpen && hasScreen('/register') && (
        <Link to="/register" className={`${buttonClasses('primary')} max-sm:hidden`}>
          {t('register')}
        </Link>
      )}
    </>
  )
}

const LOOK =
  'mx-1 hidden h-8 items-center gap-1.5 rounded-full border border-line px-3 text-small font-medium tabular sm:inline-flex'

/** The balance, linked to the wallet where that screen exists. */
function BalanceChip() {
  const t = useAppText()
  const { data: self } = useQuery(selfQuery)
  const { money } = useMoney()
  if (!self) return null
  const amount = money(self.quota)
  const content = (
    <>
      <Wallet size={14} aria-hidden className="text-muted" />
      {amount}
    </>
  )
  if (!hasScreen('/topup')) {
    return (
      <span className={LOOK} title={t('balance')}>
        <span className="sr-only">{t('balance')}</span>
        {content}
      </span>
    )
  }
  return (
    <Link to="/topup" aria-label={t('openWallet', { amount })} className={`${LOOK} hover:bg-hover`}>
      {content}
    </Link>
  )
}
