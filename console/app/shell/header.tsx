import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import {
  Eye,
  EyeOff,
  Keyboard,
  Languages,
  LogOut,
  Megaphone,
  Menu,
  Monitor,
  Moon,
  Search,
  Settings,
  Sun,
  Wallet,
} from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { getSelf } from '#contract/entities/user.ts'
import { getNotice } from '#contract/status.ts'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { MenuButton } from '../../ui/buttons/popup-buttons.tsx'
import { buttonClasses } from '../../ui/class-names.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import type { MenuAction } from '../../ui/overlays/menu-popup.tsx'
import { createStore, useStore } from '../../ui/store.ts'
import { LANGUAGES, type Language, useLanguage } from '../../ui/text/text.ts'
import { useIsUsed } from '../../ui/use-is-used.ts'
import { basePath, documentationPath } from '../api/base-path.ts'
import { call } from '../api/call.ts'
import { takeFromStart } from '../api/start.ts'
import { useStatus } from '../api/status.ts'
import { useAppText } from '../app-text.ts'
import { useMoney } from '../format/format.tsx'
import {
  chooseLanguage,
  chooseTheme,
  THEME_MODES,
  type ThemeMode,
  useThemeMode,
} from '../preferences/appearance.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'
import { PrivateText, toggleMask, useIsMasked } from '../preferences/privacy.tsx'
import { acting } from '../router/define-screen.ts'
import { hasScreen, screens } from '../router/screens.ts'
import { selfQuery, useSignOut } from '../session/self.ts'
import { hasRole, type SessionUser, useUser } from '../session/session.ts'
import { openPalette, openShortcutSheet } from './shortcuts.ts'

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
        <NoticeButton />
        <ScreenButtons />
        <span className="hidden items-center gap-0.5 sm:flex coarse:gap-2">
          <ThemeButton />
          <LanguageButton />
        </span>
        {user ? (
          <>
            {acting.limit?.mayOpen(getSelf) !== false && <BalanceChip />}
            <UserMenu user={user} />
          </>
        ) : (
          <SignInLinks />
        )}
      </div>
    </header>
  )
}

const screenButtons = screens.flatMap(({ headerButton }) =>
  headerButton ? [{ role: headerButton.role, ...lazyPart(headerButton.load) }] : [],
)

/** The buttons of screens: what they tell can wait until the page is used. */
function ScreenButtons() {
  const user = useUser()
  const isUsed = useIsUsed() || acting.limit !== undefined
  return (
    <Suspense fallback={null}>
      {isUsed && screenButtons.map(({ role, Part }) => hasRole(user, role) && <Part key={role} />)}
    </Suspense>
  )
}

const OWN_LOGO = `${basePath}/logo.svg`

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
      <span className="truncate text-section md:max-lg:sr-only">{name}</span>
    </Link>
  )
}

const LINKS = [
  { to: '/', label: 'home' },
  { to: '/token', label: 'console' },
  { to: '/pricing', label: 'pricing' },
  { to: '/about', label: 'about' },
] as const

const SITE_LINK =
  'rounded-control px-3 py-2 text-muted hover:text-fg aria-[current=page]:font-medium aria-[current=page]:text-fg'

/** Links to the public pages that exist. */
function HeaderLinks() {
  const t = useAppText()
  const language = useLanguage()
  return (
    <nav aria-label={t('siteNavigation')} className="ml-3 hidden md:flex">
      {LINKS.filter(link => hasScreen(link.to)).map(link => (
        <Link key={link.to} to={link.to} activeOptions={{ exact: true }} className={SITE_LINK}>
          {t(link.label)}
        </Link>
      ))}
      <a href={documentationPath[language]} target="_blank" rel="noopener" className={SITE_LINK}>
        {t('documentation')}
      </a>
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

const THEME_ICONS = { light: Sun, dark: Moon, system: Monitor } as const
const THEME_LABELS = { light: 'themeLight', dark: 'themeDark', system: 'themeSystem' } as const

export function ThemeButton() {
  const t = useAppText()
  const mode = useThemeMode()
  const item = (choice: ThemeMode) => ({
    label: t(THEME_LABELS[choice]),
    icon: THEME_ICONS[choice],
    isChecked: choice === mode,
    onSelect: () => chooseTheme(choice),
  })
  return <MenuButton label={t('theme')} icon={THEME_ICONS[mode]} items={[THEME_MODES.map(item)]} />
}

const LANGUAGE_LABELS = { zh: 'languageZh', en: 'languageEn' } as const

export function LanguageButton() {
  const t = useAppText()
  const language = useLanguage()
  const item = (choice: Language) => ({
    label: t(LANGUAGE_LABELS[choice]),
    isChecked: choice === language,
    onSelect: () => chooseLanguage(choice),
  })
  return <MenuButton label={t('language')} icon={Languages} items={[LANGUAGES.map(item)]} />
}

const roleTextKey = (user: SessionUser) =>
  hasRole(user, 'root') ? 'roleRoot' : hasRole(user, 'admin') ? 'roleAdmin' : 'roleUser'

function UserMenu({ user }: { readonly user: SessionUser }) {
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
  const signOutItems: MenuAction[] = [{ label: t('logout'), icon: LogOut, onSelect: () => void signOut() }]
  return (
    <MenuButton
      label={t('userMenu')}
      items={[pages, tools, signOutItems].filter(group => group.length > 0)}
      className="rounded-full px-0.5!"
      head={
        <div className="px-2 py-1.5">
          <p className="truncate font-medium">
            <PrivateText>{name}</PrivateText>
          </p>
          <p className="truncate text-caption text-muted">
            <PrivateText>{user.username}</PrivateText> · {t(roleTextKey(user))}
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

const noticeDialog = lazyPart(async () => (await import('./notice-dialog.tsx')).NoticeDialog)

/** The notice. New text opens once by itself, later from this button. Hidden when there is no notice. */
function NoticeButton() {
  const t = useAppText()
  const { data: notice = '' } = useQuery(noticeQuery)
  const isNew = useIsNewNotice(notice)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isNew) return
    setOpen(true)
    markNoticeRead(notice)
  }, [isNew, notice])
  if (notice === '') return null
  return (
    <>
      <IconButton label={t('announcement')} icon={Megaphone} onClick={() => setOpen(true)} />
      <Suspense fallback={null}>
        {isOpen && <noticeDialog.Part notice={notice} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

const STALE_AFTER_MS = 10 * 60_000

const noticeQuery = queryOptions({
  queryKey: ['notice'],
  queryFn: async ({ signal }) => (await takeFromStart('notice')) ?? call(getNotice, { signal }),
  staleTime: STALE_AFTER_MS,
})

const readNotice = createStore(readStored('notice') ?? '')

/** Whether this notice has not been shown yet. */
const useIsNewNotice = (notice: string): boolean => useStore(readNotice) !== notice && notice !== ''

function markNoticeRead(notice: string): void {
  writeStored('notice', notice)
  readNotice.set(notice)
}
