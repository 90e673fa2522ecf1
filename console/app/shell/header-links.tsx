import { Link } from '@tanstack/react-router'
import { buttonClasses } from '../../ui/button-classes.ts'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { hasScreen } from '../screens.ts'
import { useStatus } from '../status.ts'

const LINKS = [
  { to: '/', label: 'home' },
  { to: '/token', label: 'console' },
  { to: '/pricing', label: 'pricing' },
  { to: '/about', label: 'about' },
] as const

/** The four public pages, as far as they are there. */
export function HeaderLinks() {
  const t = useText(appText)
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

export function SignInLinks() {
  const t = useText(appText)
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
