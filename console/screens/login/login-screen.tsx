import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { useUser } from '../../app/session/session.ts'
import { rememberInviterCode, enabledMethods } from '../../app/sign-in/sign-in-methods.ts'
import { SignInPage } from '../../app/sign-in/sign-in-page.tsx'
import { useStatus } from '../../app/api/status.ts'
import { useSearchParams } from '../../app/router/search-params.ts'
import { Banner } from '../../ui/feedback/banner.tsx'
import { Button } from '../../ui/buttons/button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useText } from '../../ui/text/text.ts'
import { LoginForm } from './login-form.tsx'
import { LoginLinks } from './login-links.tsx'
import { safeNext } from './safe-next.ts'
import { LoginSearch } from './search.ts'
import { text } from './text.ts'

const buttons = lazyPart(async () => (await import('../../app/sign-in/sign-in-buttons.tsx')).SignInButtons)

export function LoginScreen() {
  const t = useText(text)
  const user = useUser()
  const status = useStatus()
  const { expired, next, aff } = useSearchParams(LoginSearch)
  const navigate = useNavigate()
  useEffect(() => rememberInviterCode(aff), [aff])
  useEffect(() => {
    if (user) void navigate({ href: safeNext(next), replace: true })
  }, [user, next, navigate])
  return (
    <SignInPage
      heading={t('heading', { system: status.system_name })}
      notice={expired === 'true' && <Banner tone="warning">{t('expired')}</Banner>}
      below={<LoginLinks />}
    >
      {status.password_login ? <LoginForm /> : <ClosedForm />}
      {enabledMethods(status).length > 0 && (
        <Suspense fallback={null}>
          <buttons.Part />
        </Suspense>
      )}
    </SignInPage>
  )
}

/** While password login is off only the super administrator needs the form. */
function ClosedForm() {
  const t = useText(text)
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
