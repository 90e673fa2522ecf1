import { Link } from '@tanstack/react-router'
import { hasScreen } from '../../app/router/screens.ts'
import { SIGN_IN_LINK } from '../../app/sign-in/sign-in-page.tsx'
import { useStatus } from '../../app/api/status.ts'
import { useText } from '../../ui/text/text.ts'
import { text } from './text.ts'

/** The ways to an account, as far as they are open. */
export function LoginLinks() {
  const t = useText(text)
  const { register_enabled: isOpen } = useStatus()
  const mayRegister = isOpen && hasScreen('/register')
  const mayReset = hasScreen('/reset')
  if (!mayRegister && !mayReset) return null
  return (
    <>
      {mayRegister && (
        <span>
          {t('noAccount')}{' '}
          <Link to="/register" className={SIGN_IN_LINK}>
            {t('register')}
          </Link>
        </span>
      )}
      {mayReset && (
        <Link to="/reset" className={SIGN_IN_LINK}>
          {t('forgot')}
        </Link>
      )}
    </>
  )
}
