import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { writeStored } from '../../app/local-store.ts'
import { useUser } from '../../app/session.ts'
import { useStatus } from '../../app/status.ts'
import { useUrlState } from '../../app/url-state.ts'
import { Banner } from '../../ui/banner.tsx'
import { useText } from '../../ui/text.ts'
import { LoginCorner } from './login-corner.tsx'
import { LoginForm } from './login-form.tsx'
import { LoginLinks } from './login-links.tsx'
import { safeNext } from './safe-next.ts'
import { LoginSearch } from './search.ts'
import { text } from './text.ts'

const OWN_LOGO = '/logo.svg'

export function LoginScreen() {
  const t = useText(text)
  const user = useUser()
  const { system_name: system, logo, password_login: hasPasswordLogin } = useStatus()
  const { expired, next, aff } = useUrlState(LoginSearch)
  const navigate = useNavigate()
  useEffect(() => {
    if (aff !== '') writeStored('aff', aff)
  }, [aff])
  useEffect(() => {
    if (user) void navigate({ href: safeNext(next), replace: true })
  }, [user, next, navigate])
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 pt-[max(72px,16vh)] pb-10">
      <LoginCorner />
      <img
        src={logo || OWN_LOGO}
        alt=""
        width={48}
        height={48}
        className="size-12 rounded-dialog object-contain"
      />
      <h1 tabIndex={-1} className="mt-4 mb-6 text-center text-title font-semibold">
        {t('heading', { system })}
      </h1>
      <div className="w-full max-w-100">
        {expired === 'true' && (
          <div className="mb-4">
            <Banner tone="warning">{t('expired')}</Banner>
          </div>
        )}
        <div className="rounded-dialog border border-line bg-surface p-6 shadow-[0_1px_3px_var(--shadow-edge)]">
          {!hasPasswordLogin && <p className="mb-4 text-small text-muted">{t('passwordOff')}</p>}
          <LoginForm />
        </div>
        <LoginLinks />
      </div>
    </div>
  )
}
