import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { plainErrorText } from '../../app/call-error.ts'
import { queryClient } from '../../app/query-client.ts'
import { hasScreen } from '../../app/screens.ts'
import { rememberUser } from '../../app/session.ts'
import { isSignInWindow } from '../../app/sign-in/begin-oauth.ts'
import { tellBound } from '../../app/sign-in/bound-message.ts'
import { ProblemBanner } from '../../app/sign-in/problem-banner.tsx'
import { SignInPage } from '../../app/sign-in/sign-in-page.tsx'
import { parseAddress } from '../../app/url-state.ts'
import { buttonClasses } from '../../ui/button-classes.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { partyOf } from './parties.ts'
import { text } from './text.ts'

/** After a failure: long enough to read why. */
const LEAVE_MS = 5000
const SIGNED_IN_TO = '/token'
const boundTo = () => (hasScreen('/setting') ? '/setting' : SIGNED_IN_TO)

/** What was sent back is good once: it is handed in once, however often this page is drawn. */
const handedIn = new Set<string>()

export function OauthScreen() {
  const t = useText(text)
  const { pathname, searchStr } = useLocation()
  const [returned] = useState(() => parseAddress(searchStr))
  const party = partyOf(pathname)
  const isComplete = party?.isComplete(returned) ?? false
  const problem = useOutcome(party && isComplete ? { party, returned } : undefined)
  if (!party || !isComplete) {
    return (
      <SignInPage heading={t('heading')}>
        <p className="mb-4 text-muted">{t(party ? 'incomplete' : 'unknown')}</p>
        <Link to="/login" className={buttonClasses('primary', 'large')}>
          {t('again')}
        </Link>
      </SignInPage>
    )
  }
  return (
    <SignInPage heading={t('heading')}>
      {problem === undefined ? (
        <p role="status" className="flex items-center justify-center gap-3 py-4 text-muted">
          <Spinner />
          {t('working', { party: party.name })}
        </p>
      ) : (
        <Failure problem={problem} />
      )}
    </SignInPage>
  )
}

interface HandIn {
  readonly party: NonNullable<ReturnType<typeof partyOf>>
  readonly returned: Readonly<Record<string, string>>
}

/** A window that was opened for this closes itself; the page that opened it goes on. */
function leaveWindow({ isBound }: { readonly isBound: boolean }): void {
  if (!isSignInWindow()) return
  if (isBound) tellBound()
  window.close()
}

/** Hands in what was sent back and goes on. Gives the reason of a failure. */
function useOutcome(handIn: HandIn | undefined): string | undefined {
  const t = useText(text)
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, whatever is drawn anew
  useEffect(() => {
    if (!handIn) return
    const key = JSON.stringify(handIn.returned)
    if (handedIn.has(key)) return
    handedIn.add(key)
    handIn.party
      .finish(handIn.returned)
      .then(user => {
        if (user) rememberUser(user)
        void queryClient.invalidateQueries({ queryKey: ['self'] })
        toast('success', t(user ? 'signedIn' : 'bound'))
        leaveWindow({ isBound: user === undefined })
        return navigate({ to: user ? SIGNED_IN_TO : boundTo(), replace: true })
      })
      .catch((error: unknown) => setProblem(plainErrorText(error)))
  }, [])
  return problem
}

function Failure({ problem }: { readonly problem: string }) {
  const t = useText(text)
  const navigate = useNavigate()
  useEffect(() => {
    const timer = setTimeout(() => void navigate({ to: boundTo(), replace: true }), LEAVE_MS)
    return () => clearTimeout(timer)
  }, [navigate])
  return (
    <div className="grid gap-4">
      <ProblemBanner problem={problem} />
      <p className="text-muted">{t('failed')}</p>
      <Link to={boundTo()} replace className={buttonClasses('default', 'large')}>
        {t('goOn')}
      </Link>
    </div>
  )
}
