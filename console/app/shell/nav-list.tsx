import { Link } from '@tanstack/react-router'
import { classes } from '../../ui/classes.ts'
import { useLanguage, useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import type { NavSection, Screen, ScreenNav } from '../define-screen.ts'
import { navScreens } from '../screens.ts'
import { mayAct, useUser } from '../session.ts'
import { useStatus } from '../status.ts'

const SECTIONS: ReadonlyArray<readonly [NavSection, 'sectionUse' | 'sectionManage' | 'sectionSettings']> = [
  ['use', 'sectionUse'],
  ['manage', 'sectionManage'],
  ['settings', 'sectionSettings'],
]

interface NavListProps {
  /** Only icons; the names are their tooltips. */
  readonly isNarrow?: boolean
  readonly onNavigate?: () => void
}

/** The pages that this user may open, in their sections. */
export function NavList({ isNarrow = false, onNavigate }: NavListProps) {
  const t = useText(appText)
  const user = useUser()
  const status = useStatus()
  const open = navScreens.filter(screen => mayAct(user, screen.role) && (screen.nav?.when?.(status) ?? true))
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

/** How a page's row looks, here and in the drawer. */
export const NAV_ROW =
  'relative flex h-9 items-center gap-3 rounded-control px-3 text-body text-muted hover:bg-hover hover:text-fg coarse:h-11 aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-accent'

interface NavRowProps {
  readonly screen: Screen
  readonly nav: ScreenNav
  readonly isNarrow: boolean
}

function NavRow({ screen, nav, isNarrow }: NavRowProps) {
  const language = useLanguage()
  const status = useStatus()
  const { icon: Icon } = nav
  const name = screen.title[language]
  const below = nav.items?.(status) ?? []
  return (
    <li>
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
