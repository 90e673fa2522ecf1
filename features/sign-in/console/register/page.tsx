import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useStatus } from '#console/app/api/status.ts'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { isReturningUser, useUser } from '#console/app/session/session.ts'
import { keepNext, safeNext } from '#console/app/sign-in/next-page.ts'
import { rememberInviterCode } from '#console/app/sign-in/sign-in-methods.ts'
import { SIGN_IN_LINK, SignInPage } from '#console/app/sign-in/sign-in-page.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { SignInButtons } from '../sign-in-buttons.tsx'
import { RegisterForm } from './form.tsx'
import { RegisterSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

export function RegisterPage() {
  const t = useScreenText()
  const status = useStatus()
  const { next, aff } = useSearchParams(RegisterSearch)
  const user = useUser()
  const navigate = useNavigate()
  useEffect(() => rememberInviterCode(aff), [aff])
  useEffect(() => keepNext(next), [next])
  useEffect(() => {
    if (user) void navigate({ href: safeNext(next, isReturningUser(user)), replace: true })
  }, [user, next, navigate])
  return (
    <SignInPage
      heading={t('heading', { system: status.system_name })}
      notice={aff !== '' && status.register_enabled && <Banner tone="info">{t('invited')}</Banner>}
      below={
        <span>
          {t('haveAccount')}{' '}
          <Link to="/login" search={{ next }} className={SIGN_IN_LINK}>
            {t('login')}
          </Link>
        </span>
      }
    >
      {status.register_enabled ? (
        <>
          {status.password_register ? (
            <RegisterForm next={next} />
          ) : (
            <p className="text-muted">{t('passwordClosed')}</p>
          )}
          <SignInButtons />
        </>
      ) : (
        <>
          <h2 className="text-section font-semibold">{t('closedTitle')}</h2>
          <p className="mt-1 text-muted">{t('closedText')}</p>
        </>
      )}
    </SignInPage>
  )
}
