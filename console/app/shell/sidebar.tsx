import { Link } from '@tanstack/react-router'
import { ChevronDown, PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { classes } from '../../ui/class-names.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { useKitText } from '../../ui/text/kit-text.ts'
import { useLanguage } from '../../ui/text/text.ts'
import { useMedia } from '../../ui/use-media.ts'
import { useStatus } from '../api/status.ts'
import { useAppText } from '../app-text.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'
import { isOffered, type NavSection, type Screen, type ScreenNav } from '../router/define-screen.ts'
import { navScreens } from '../router/screens.ts'
import { useUser } from '../session/session.ts'

const ROOMY = '(min-width: 1024px)'

/** Navigation at the left. Icons only on narrow screens or when collapsed. */
export function Sidebar() {
  const t = useAppText()
  const isRoomy = useMedia(ROOMY)
  const isCollapsed = useSidebarCollapsed()
  const isNarrow = !isRoomy || isCollapsed
  return (
    <div
      className={classes(
        'sticky top-14 flex print:hidden h-[calc(100dvh-3.5rem)] max-h-full shrink-0 flex-col border-r border-line bg-surface',
        isNarrow ? 'w-14' : 'w-56',
      )}
    >
      <div className={classes('min-h-0 flex-1 overflow-y-auto py-4', isNarrow ? 'px-2' : 'px-3')}>
        <NavList isNarrow={isNarrow} />
      </div>
      {isRoomy && (
        <div className={classes('flex border-t border-line p-2', !isNarrow && 'justify-end')}>
          <IconButton
            label={t(isCollapsed ? 'expandSidebar' : 'collapseSidebar')}
            icon={isCollapsed ? PanelLeftOpen : PanelLeftClose}
            shortcut="⌘B"
            onClick={() => chooseSidebar(!isCollapsed)}
          />
        </div>
      )}
    </div>
  )
}

const chosen = createStore<'open' | 'closed' | undefined>(asChoice(readStored('sidebar')))

function asChoice(stored: string | undefined): 'open' | 'closed' | undefined {
  return stored === 'open' || stored === 'closed' ? stored : undefined
}

/** The user's choice, else the installation's default. */
export function useSidebarCollapsed(): boolean {
  const { default_collapse_sidebar: isCollapsedAtFirst } = useStatus()
  const choice = useStore(chosen)
  return choice === undefined ? isCollapsedAtFirst : choice === 'closed'
}

export function chooseSidebar(isCollapsed: boolean): void {
  const choice = isCollapsed ? 'closed' : 'open'
  writeStored('sidebar', choice)
  chosen.set(choice)
}

const SECTIONS: ReadonlyArray<readonly [NavSection, 'sectionUse' | 'sectionManage' | 'sectionSettings']> = [
  ['use', 'sectionUse'],
  ['manage', 'sectionManage'],
  ['settings', 'sectionSettings'],
]

interface NavListProps {
  /** Icons only, with the names as tooltips. */
  readonly isNarrow?: boolean
  readonly onNavigate?: () => void
}

/** The screens that the user may open, by section. */
export function NavList({ isNarrow = false, onNavigate }: NavListProps) {
  const t = useAppText()
  const user = useUser()
  const status = useStatus()
  const open = navScreens.filter(screen => isOffered(screen, user, status))
  return (
    <nav aria-label={t('mainNavigation')} className="grid grid-cols-1 gap-4" onClickCapture={onNavigate}>
      {SECTIONS.map(([section, label]) => {
        const items = open.filter(screen => screen.nav?.section === section)
        if (items.length === 0) return null
        return (
          <div key={section} className="grid grid-cols-1 gap-0.5">
            <p className={classes('h-6 px-3 text-caption font-medium text-subtle', isNarrow && 'sr-only')}>
              {t(label)}
            </p>
            <ul className="grid grid-cols-1 gap-0.5">
              {items.map(
                screen =>
                  screen.nav && (
                    <NavRow key={screen.path} screen={screen} nav={screen.nav} isNarrow={isNarrow} />
                  ),
              )}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}

/** Row style, shared with the drawer. */
export const NAV_ROW =
  'relative flex h-9 items-center gap-3 rounded-control px-3 text-body text-muted hover:bg-hover hover:text-fg coarse:h-11 aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-accent'

interface NavRowProps {
  readonly screen: Screen
  readonly nav: ScreenNav
  readonly isNarrow: boolean
}

function NavRow({ screen, nav, isNarrow }: NavRowProps) {
  const t = useKitText()
  const language = useLanguage()
  const status = useStatus()
  const { icon: Icon } = nav
  const name = screen.title[language]
  const below = nav.items?.(status) ?? []
  const [isOpen, setOpen] = useState(() => readStored(`open-nav-${screen.path}`) === 'on')
  const toggle = () => {
    writeStored(`open-nav-${screen.path}`, isOpen ? undefined : 'on')
    setOpen(!isOpen)
  }
  return (
    <li className="relative">
      <Link
        to={screen.path}
        activeOptions={{ includeSearch: false }}
        aria-label={isNarrow ? name : undefined}
        data-tooltip={isNarrow ? name : undefined}
        className={classes(NAV_ROW, isNarrow && 'justify-center px-0')}
      >
        <Icon size={18} strokeWidth={1.75} aria-hidden className="shrink-0" />
        {!isNarrow && <span className="truncate">{name}</span>}
      </Link>
      {!isNarrow && below.length > 0 && (
        <IconButton
          label={`${t(isOpen ? 'hide' : 'show')} · ${name}`}
          icon={ChevronDown}
          size="small"
          className="absolute top-0.5 right-0.5 aria-expanded:rotate-180"
          aria-expanded={isOpen}
          onClick={toggle}
        />
      )}
      {!isNarrow && isOpen && (
        <ul className="grid grid-cols-1 gap-0.5 pt-0.5 pl-7">
          {below.map(item => (
            <li key={item.to}>
              <Link to={item.to} className={NAV_ROW}>
                <span className="truncate">{item.label}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
