import { Link } from '@tanstack/react-router'
import { buttonClasses } from '#console/ui/class-names.ts'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import type { OpenIdOutcome } from '../../contract/openid.ts'
import { useOpenIdText } from './text.ts'

const JSON_INDENT = 2

/** What a test sign-in has found: whether the person could sign in, as whom, and the claims. */
export function OpenIdTestResult({ test }: { readonly test: NonNullable<OpenIdOutcome['test']> }) {
  const t = useOpenIdText()
  const { claims, problem, username, role, group } = test
  return (
    <div className="grid gap-4">
      <Banner tone={problem === '' ? 'success' : 'warning'}>
        {problem || t('wouldSignIn')} {username === '' ? t('wouldCreate') : t('wouldUse', { username })}{' '}
        {role !== '' && t('wouldSet', { role, group })}
      </Banner>
      <p className="text-small text-muted">{t('testedNobody')}</p>
      <section className="grid gap-1.5">
        <h2 className="text-small font-medium">{t('claims')}</h2>
        <pre className="max-h-80 overflow-auto rounded-card bg-sunken px-3 py-2 font-mono text-small">
          {JSON.stringify(claims, null, JSON_INDENT)}
        </pre>
      </section>
      <Link to="/identity-provider" className={buttonClasses('default', 'large')}>
        {t('back')}
      </Link>
    </div>
  )
}
