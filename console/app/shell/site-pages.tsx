import { Link } from '@tanstack/react-router'
import { House, Info, Tags } from 'lucide-react'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { hasScreen } from '../screens.ts'
import { NAV_ROW } from './nav-list.tsx'

const PAGES = [
  { to: '/', label: 'home', icon: House },
  { to: '/pricing', label: 'pricing', icon: Tags },
  { to: '/about', label: 'about', icon: Info },
] as const

/** The public pages, which a wide header names, as rows of the drawer. */
export function SitePages({ onNavigate }: { readonly onNavigate: () => void }) {
  const t = useText(appText)
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
