import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { CallError, plainErrorText } from '../../app/api/call.ts'
import { hasScreen } from '../../app/router/screens.ts'
import { parseSearch } from '../../app/router/search-params.ts'
import { currentUser } from '../../app/session/session.ts'
import { isSignInWindow, notifyBound } from '../../app/sign-in/oauth.ts'
import { ProblemBanner, SignInPage } from '../../app/sign-in/sign-in-page.tsx'
import { Button, Spinner } from '../../ui/buttons/button.tsx'
import { buttonClasses } from '../../ui/class-names.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { useText } from '../../ui/text/text.ts'
import { type HandIn, type HandInOutcome, handInAgain, handInOnce, partyOf } from './providers.ts'
import { text } from './text.ts'

/** After a failure: long enough to read why. */
const LEAVE_MS = 5000
const SIGNED_IN_TO = '/token'
const boundTo = () => (hasScreen('/setting') ? '/setting' : SIGNED_IN_TO)

export function OauthScreen() {
  const t = useText(text)
  const { pathname, searchStr } = useLocation()
  const [returned] = useState(() => parseSearch(searchStr))
  const party = partyOf(pathname)
  return (
    <SignInPage heading={t('heading')}>
      {party?.isComplete(returned) ? (
        <Working party={party} returned={returned} />
      ) : (
        <BeginAgain why={t(party ? 'incomplete' : 'unknown')} />
      )}
    </SignInPage>
  )
}

function BeginAgain({ why }: { readonly why: string }) {
  const t = useText(text)
  return (
    <>
      <p className="mb-4 text-muted">{why}</p>
      <Link to="/login" className={buttonClasses('primary', 'large')}>
        {t('again')}
      </Link>
    </>
  )
}

function Working(handIn: HandIn) {
  const t = useText(text)
  const { outcome, error, retry } = useOutcome(handIn)
  if (outcome === 'spent') return currentUser() ? <GoOn why={t('spent')} /> : <BeginAgain why={t('spent')} />
  if (error !== undefined) return <Failure error={error} onRetry={retry} />
  return (
    <p role="status" className="flex items-center justify-center gap-3 py-4 text-muted">
      <Spinner />
      {t('working', { party: handIn.party.name })}
    </p>
  )
}

/** A window that was opened for this closes itself; the page that opened it goes on. */
function leaveWindow({ isBound }: { readonly isBound: boolean }): void {
  if (!isSignInWindow()) return
  if (isBound) notifyBound()
  window.close()
}

interface Outcome {
  readonly outcome?: HandInOutcome
  readonly error?: unknown
}

/** Hands in what was sent back and goes on. Gives what came of it where the page stays. */
function useOutcome(handIn: HandIn): Outcome & { readonly retry: () => void } {
  const t = useText(text)
  const navigate = useNavigate()
  const [found, setFound] = useState<Outcome>({})
  const [attempt, setAttempt] = useState(() => handInOnce(handIn))
  const goOn = useEffectEvent((outcome: HandInOutcome) => {
    setFound({ outcome })
    if (outcome === 'spent') return
    toast('success', t(outcome))
    leaveWindow({ isBound: outcome === 'bound' })
    void navigate({ to: outcome === 'signedIn' ? SIGNED_IN_TO : boundTo(), replace: true })
  })
  useEffect(() => {
    let isShown = true
    attempt.then(
      outcome => isShown && goOn(outcome),
      (error: unknown) => isShown && setFound({ error }),
    )
    return () => {
      isShown = false
    }
  }, [attempt])
  const retry = () => {
    setFound({})
    setAttempt(handInAgain(handIn))
  }
  return { ...found, retry }
}

interface FailureProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** Without an answer it may be tried again; a refusal stays one, and leads away. */
function Failure({ error, onRetry }: FailureProps) {
  const t = useText(text)
  const navigate = useNavigate()
  const isUnanswered = error instanceof CallError && error.status === 0
  useEffect(() => {
    if (isUnanswered) return undefined
    const timer = setTimeout(() => void navigate({ to: boundTo(), replace: true }), LEAVE_MS)
    return () => clearTimeout(timer)
  }, [navigate, isUnanswered])
  return (
    <div className="grid gap-4">
      <ProblemBanner problem={plainErrorText(error)} />
      {isUnanswered ? (
        <Button look="primary" size="large" onClick={onRetry}>
          {t('retry')}
        </Button>
      ) : (
        <GoOn why={t('failed')} />
      )}
    </div>
  )
}

function GoOn({ why }: { readonly why: string }) {
  const t = useText(text)
  return (
    <>
      <p className="mb-4 text-muted">{why}</p>
      <Link to={boundTo()} replace className={buttonClasses('default', 'large')}>
        {t('goOn')}
      </Link>
    </>
  )
}
