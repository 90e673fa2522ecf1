import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { CallError, plainErrorText } from '#console/app/api/call.ts'
import { hasScreen } from '#console/app/router/screens.ts'
import { parseSearch } from '#console/app/router/search-params.ts'
import { currentUser } from '#console/app/session/session.ts'
import { keptNext } from '#console/app/sign-in/next-page.ts'
import { isSignInWindow, notifyBound } from '#console/app/sign-in/oauth.ts'
import { FormErrorBanner, SignInPage } from '#console/app/sign-in/sign-in-page.tsx'
import { Button, Spinner } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses } from '#console/ui/class-names.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { type CallbackOutcome, type OauthCallback, providerOf, submitAgain, submitOnce } from './providers.ts'
import { useScreenText } from './text.ts'

const testResult = lazyPart(async () => (await import('./openid/test-result.tsx')).OpenIdTestResult)

/** Long enough to read the error. */
const REDIRECT_AFTER_MS = 5000
const SIGNED_IN_PATH = '/token'
const bindingPath = () => (hasScreen('/setting') ? '/setting' : SIGNED_IN_PATH)

export function OauthPage() {
  const t = useScreenText()
  const { pathname, searchStr } = useLocation()
  const [params] = useState(() => parseSearch(searchStr))
  const provider = providerOf(pathname)
  return (
    <SignInPage heading={t('heading')}>
      {provider?.isComplete(params) ? (
        <ConfirmedSubmission provider={provider} params={params} />
      ) : (
        <SignInAgain why={t(provider ? 'incomplete' : 'unknown')} />
      )}
    </SignInPage>
  )
}

function SignInAgain({ why }: { readonly why: string }) {
  const t = useScreenText()
  return (
    <>
      <p className="mb-4 text-muted">{why}</p>
      <Link to="/login" className={buttonClasses('primary', 'large')}>
        {t('again')}
      </Link>
    </>
  )
}

/** Asks first where the callback could have been started by somebody else. Signing in needs no question. */
function ConfirmedSubmission(callback: OauthCallback) {
  const t = useScreenText()
  const { provider, params } = callback
  const [user] = useState(currentUser)
  const [isConfirmed, setConfirmed] = useState(false)
  const account = provider.unprovenAccount?.(params)
  if (!user || account === undefined || isConfirmed) return <Submission {...callback} />
  const question = { provider: provider.name, account, username: user.username }
  return (
    <>
      <p className="mb-4">{t('bindQuestion', question)}</p>
      <div className="grid gap-2.5">
        <Button variant="primary" size="large" onClick={() => setConfirmed(true)}>
          {t('bind')}
        </Button>
        <Link to={bindingPath()} replace className={buttonClasses('default', 'large')}>
          {t('cancel')}
        </Link>
      </div>
    </>
  )
}

function Submission(callback: OauthCallback) {
  const t = useScreenText()
  const { outcome, error, retry } = useOutcome(callback)
  if (outcome?.kind === 'tested')
    return (
      <Suspense fallback={<Spinner />}>
        <testResult.Part test={outcome.test} />
      </Suspense>
    )
  if (outcome?.kind === 'spent')
    return currentUser() ? <ContinueLink why={t('spent')} /> : <SignInAgain why={t('spent')} />
  if (error !== undefined) return <Failure error={error} onRetry={retry} />
  return (
    <p role="status" className="flex items-center justify-center gap-3 py-4 text-muted">
      <Spinner />
      {t('working', { provider: callback.provider.name })}
    </p>
  )
}

/** Closes the sign-in popup; its opener continues. */
function closePopup({ isBound }: { readonly isBound: boolean }): void {
  if (!isSignInWindow()) return
  if (isBound) notifyBound()
  window.close()
}

interface Outcome {
  readonly outcome?: CallbackOutcome
  readonly error?: unknown
}

/** Submits the callback and navigates on. Returns the outcome where the page stays open. */
function useOutcome(callback: OauthCallback): Outcome & { readonly retry: () => void } {
  const t = useScreenText()
  const navigate = useNavigate()
  const [result, setResult] = useState<Outcome>({})
  const [attempt, setAttempt] = useState(() => submitOnce(callback))
  const handleOutcome = useEffectEvent((outcome: CallbackOutcome) => {
    setResult({ outcome })
    if (outcome.kind === 'spent' || outcome.kind === 'tested') return
    toast('success', t(outcome.kind))
    closePopup({ isBound: outcome.kind === 'bound' })
    void navigate({ href: outcome.kind === 'signedIn' ? keptNext() : bindingPath(), replace: true })
  })
  useEffect(() => {
    let isShown = true
    attempt.then(
      outcome => isShown && handleOutcome(outcome),
      (error: unknown) => isShown && setResult({ error }),
    )
    return () => {
      isShown = false
    }
  }, [attempt])
  const retry = () => {
    setResult({})
    setAttempt(submitAgain(callback))
  }
  return { ...result, retry }
}

interface FailureProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** Network failures can be retried. Rejections redirect away after a while. */
function Failure({ error, onRetry }: FailureProps) {
  const t = useScreenText()
  const navigate = useNavigate()
  const isRetryable = error instanceof CallError && error.status === 0
  useEffect(() => {
    if (isRetryable) return undefined
    const timer = setTimeout(() => void navigate({ to: bindingPath(), replace: true }), REDIRECT_AFTER_MS)
    return () => clearTimeout(timer)
  }, [navigate, isRetryable])
  return (
    <div className="grid gap-4">
      <FormErrorBanner error={plainErrorText(error)} />
      {isRetryable ? (
        <Button variant="primary" size="large" onClick={onRetry}>
          {t('retry')}
        </Button>
      ) : (
        <ContinueLink why={t('failed')} />
      )}
    </div>
  )
}

function ContinueLink({ why }: { readonly why: string }) {
  const t = useScreenText()
  return (
    <>
      <p className="mb-4 text-muted">{why}</p>
      <Link to={bindingPath()} replace className={buttonClasses('default', 'large')}>
        {t('goOn')}
      </Link>
    </>
  )
}
