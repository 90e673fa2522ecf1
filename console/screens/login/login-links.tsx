import { Link } from '@tanstack/react-router'
import { hasScreen } from '../../app/screens.ts'
import { useStatus } from '../../app/status.ts'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'

const LINK = 'rounded-control font-medium text-accent hover:underline underline-offset-2'

/** The ways to an account, as far as they are open. */
export function LoginLinks() {
  const t = useText(text)
  const { register_enabled: isOpen } = useStatus()
  const mayRegister = isOpen && hasScreen('/register')
  const mayReset = hasScreen('/reset')
  if (!mayRegister && !mayReset) return null
  return (
    <div className="mt-5 flex flex-wrap items-center justify-center gap-x-6 gap-y-2 text-muted">
      {mayRegister && (
        <span>
          {t('noAccount')}{' '}
          <Link to="/register" className={LINK}>
            {t('register')}
          </Link>
        </span>
      )}
      {mayReset && (
        <Link to="/reset" className={LINK}>
          {t('forgot')}
        </Link>
      )}
    </div>
  )
}
