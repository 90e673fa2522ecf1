import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useStatus } from '#console/app/api/status.ts'
import { hasScreen } from '#console/app/router/screens.ts'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { isReturningUser, useUser } from '#console/app/session/session.ts'
import { keepNext, safeNext } from '#console/app/sign-in/next-page.ts'
import { rememberInviterCode } from '#console/app/sign-in/sign-in-methods.ts'
import { SIGN_IN_LINK, SignInPage } from '#console/app/sign-in/sign-in-page.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { SignInButtons } from '../sign-in-buttons.tsx'
import { LoginForm } from './form.tsx'
import { LoginSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

const NOTICES: Readonly<Record<string, 'expired' | 'signedOut'>> = {
  true: 'expired',
  'signed-out': 'signedOut',
}

export function LoginPage() {
  const t = useScreenText()
  const user = useUser()
  const status = useStatus()
  const { expired, next, aff } = useSearchParams(LoginSearch)
  const navigate = useNavigate()
  useEffect(() => rememberInviterCode(aff), [aff])
  useEffect(() => keepNext(next), [next])
  useEffect(() => {
    if (user) void navigate({ href: safeNext(next, isReturningUser(user)), replace: true })
  }, [user, next, navigate])
  const notice = NOTICES[expired]
  return (
    <SignInPage
      heading={t('heading', { system: status.system_name })}
      notice={notice && <Banner tone="warning">{t(notice)}</Banner>}
      below={<LoginLinks next={next} />}
    >
      {status.password_login ? <LoginForm /> : <RootPasswordForm />}
      <SignInButtons />
    </SignInPage>
  )
}

/** While password sign-in is off, only the super administrator may use the form. */
function RootPasswordForm() {
  const t = useScreenText()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p className="mb-4 text-small text-muted">{t('passwordOff')}</p>
      {isOpen ? (
        <LoginForm />
      ) : (
        <Button className="w-full" onClick={() => setOpen(true)}>
          {t('openPassword')}
        </Button>
      )}
    </>
  )
}

/** Links to sign-up and password reset, where they are available. `next`: page to return to, empty for none. */
export function LoginLinks({ next }: { readonly next: string }) {
  const t = useScreenText()
  const { register_enabled: isOpen } = useStatus()
  const mayRegister = isOpen && hasScreen('/register')
  const mayReset = hasScreen('/reset')
  if (!mayRegister && !mayReset) return null
  return (
    <>
      {mayRegister && (
        <span>
          {t('noAccount')}{' '}
          <Link to="/register" search={{ next }} className={SIGN_IN_LINK}>
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
